/** A page with a chat, as the AI SDK's own documentation makes one: `useChat` with its default transport. */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { useState } from "react";
import { createRoot } from "react-dom/client";

function Chat({ api, token }) {
  const [text, setText] = useState("");
  const { messages, sendMessage, error } = useChat({
    id: location.hash.slice(1),
    resume: true,
    transport: new DefaultChatTransport({ api, headers: { authorization: `Bearer ${token}` } }),
  });
  const send = (event) => {
    event.preventDefault();
    sendMessage({ text });
    setText("");
  };
  return (
    <>
      {messages.map((message) => (
        <article key={message.id}>
          <Parts message={message} answer={(answer) => sendMessage({ text: answer })} />
        </article>
      ))}
      {error === undefined ? null : <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit">Send</button>
      </form>
    </>
  );
}

function Parts({ message, answer }) {
  // Parts are only ever added: the place of one is its key.
  const keyed = message.parts.map((part, at) => ({ part, key: `${message.id}-${at}` }));
  return keyed.map(({ part, key }) => <Part key={key} message={message} part={part} answer={answer} />);
}

function Part({ message, part, answer }) {
  switch (part.type) {
    case "text": {
      const id = part.providerMetadata?.conclave?.id;
      const isVoid = message.parts.some((other) => other.type === "data-retracted" && other.data.id === id);
      return isVoid ? null : <span>{part.text}</span>;
    }
    case "data-ask":
      return (
        <p>
          {part.data.question}
          {part.data.suggestions?.map((suggestion) => (
            <button type="button" key={suggestion} onClick={() => answer(suggestion)}>
              {suggestion}
            </button>
          ))}
        </p>
      );
    case "data-blocked":
      return <p>{part.data.message}</p>;
    default:
      return null;
  }
}

// The chat's id stays with the page when it is loaded again.
location.hash ||= crypto.randomUUID();
const { api, token } = await (await fetch("/token")).json();
createRoot(document.getElementById("root")).render(<Chat api={api} token={token} />);
