/** Gzip by the platform's own streams. */

const encoder = new TextEncoder();

export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return through(new CompressionStream("gzip"), new Uint8Array(encoder.encode(text)));
}

export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new TextDecoder().decode(await through(new DecompressionStream("gzip"), bytes));
}

async function through(
  { readable, writable }: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const read = new Response(readable).arrayBuffer();
  const writer = writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  // What is no gzip is said by what reads; the other must not go unheard.
  const [result] = await Promise.all([read, written.catch(() => undefined)]);
  return new Uint8Array(result);
}
