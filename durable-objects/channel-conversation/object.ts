/** The object of a conversation in a chat as others call it: what it does is in `ConversationEngine`. */

import { environmentOf } from "../../src/composition/databases.js";
import { composeChannelPlatform } from "../../src/composition/objects.js";
import type { CommandKey } from "../../src/conversation/command-key.js";
import {
  type ConversationIdentity,
  type ConversationObject,
  type ConversationSignal,
  conversationSignalSchema,
  type FormText,
} from "../../src/gateways/channel-gateway.js";
import { toWire, type Wire } from "../../src/gateways/wire.js";
import { tenantOf } from "../kit/home.js";
import { StoredObject } from "../kit/stored-object.js";
import { ConversationEngine } from "./engine.js";
import { channelConversationSchema } from "./schema.js";

/** One conversation: what comes in, in order and once, and what goes out. */
export class ChannelConversation extends StoredObject<ConversationEngine> implements ConversationObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(
      ctx,
      env,
      channelConversationSchema,
      new ConversationEngine(ctx, composeChannelPlatform(environmentOf(env, tenantOf(ctx, "conversation")))),
    );
    if (this.canGoOn()) this.engine.kit.loop.kick();
  }

  async accept(
    identity: ConversationIdentity,
    signals: Wire<readonly ConversationSignal[]>,
    mayBegin: boolean,
  ): Promise<void> {
    if (!this.exists() && !mayBegin) return;
    const parsed = conversationSignalSchema().array().parse(JSON.parse(signals.json));
    this.ctx.storage.transactionSync(() => {
      if (!this.exists()) {
        this.makeTables();
        this.engine.create(identity);
      }
      this.engine.accept(parsed);
    });
  }

  async formText(value: string): Promise<Wire<FormText>> {
    return toWire(this.exists() ? await this.engine.formText(value) : null);
  }

  async retry(deliveryId: string, command?: CommandKey): Promise<boolean> {
    return this.exists() && this.engine.retry(deliveryId, command);
  }

  async remove(): Promise<boolean> {
    if (!this.exists()) return false;
    const { kit } = this.engine;
    await kit.stop();
    await kit.empty();
    return true;
  }
}
