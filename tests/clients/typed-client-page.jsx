/** A page with a chat over the typed client, as somebody who uses React writes one with the store of docs/client.md. */
import { chatOf } from "chat-store";
import { Conclave } from "conclave/client";
import { useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { tour } from "../support/client-tour.ts";

function Chat({ chat }) {
  const [text, setText] = useState("");
  const { reply, hint, asks } = useSyncExternalStore(chat.subscribe, chat.getSnapshot);
  const send = (event) => {
    event.preventDefault();
    chat.send(text);
    setText("");
  };
  return (
    <>
      <article>{reply}</article>
      {hint === undefined ? null : <p role="status">{hint}</p>}
      {asks.map((ask) => (
        <p key={ask.askId}>
          {ask.question}
          {ask.suggestions?.map((suggestion) => (
            <button type="button" key={suggestion} onClick={() => chat.answer(ask, { response: suggestion })}>
              {suggestion}
            </button>
          ))}
        </p>
      ))}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit">Send</button>
      </form>
    </>
  );
}

const { url, token } = await (await fetch("/token-for-both")).json();
const conclave = new Conclave({ baseUrl: url, token });
const { sessionId } = await conclave.sessions.create({ agent: "assistant" });
window.tour = () => tour({ baseUrl: url, token }, "plain");
createRoot(document.getElementById("root")).render(<Chat chat={chatOf(conclave, sessionId)} />);
