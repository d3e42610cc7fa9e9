/** The match `links`: links and images that lead to a host which isn't allowed. */
import { z } from "zod";
import { linkDetector } from "../links.js";
import { matchKind } from "./match-kind.js";

export const linksMatch = matchKind({
  schema: z.strictObject({
    type: z.literal("links"),
    /** Allowed: `shop.example`, or `*.shop.example` for what is below it. Left out: none. */
    hosts: z
      .array(
        z
          .string()
          .max(253)
          .regex(/^(?:\*\.)?[^\s/\\:@?#*]+$/, { error: "a host alone, as shop.example or *.shop.example" }),
      )
      .max(1_000)
      .default([]),
    /** `only`: links to click pass, images and what else a page fetches by itself is found. */
    images: z.enum(["also", "only"]).default("also"),
  }),
  compile: ({ hosts, images }) => ({
    detectors: [linkDetector({ hosts: hosts.map((host) => host.toLowerCase()), imagesOnly: images === "only" })],
  }),
});
