/** Read the secret that signs the tenant's outgoing calls where a resource has none of its own. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { act } from "../act.js";

export const readSigningSecret = act("readSigningSecret", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/tenant/signing-secret",
    tag: "A tenant's own administration",
    summary: "Read the secret that signs outgoing calls of resources without one of their own",
    answer: "By Standard Webhooks: `whsec_<base64>`",
    answerName: "SigningSecret",
  },
  input: () => z.object({}),
  output: () =>
    z.object({
      signingSecret: z.string(),
      /** While the deployment exchanges its own secret, calls are signed under this one too. */
      otherSecret: z.string().optional(),
    }),
  run: async ({ tenantId }, _input, services) => {
    const [signingSecret = "", otherSecret] = await services.signingSecrets(tenantId);
    return { signingSecret, ...defined({ otherSecret }) };
  },
});
