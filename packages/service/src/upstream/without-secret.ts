const veil = Buffer.from('***')

/** The bytes of a stream with a secret blotted out, also where it comes in two chunks; all else goes on at once. */
export async function* withoutSecret(
  chunks: AsyncIterable<Uint8Array>,
  secret: string,
): AsyncGenerator<Uint8Array> {
  const wanted = Buffer.from(secret)
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = blotOut(Buffer.concat([held, chunk]), wanted)
    const keep = lengthOfStart(bytes, wanted)
    held = bytes.subarray(bytes.length - keep)
    if (bytes.length > keep) yield bytes.subarray(0, bytes.length - keep)
  }
  if (held.length > 0) yield held
}

function blotOut(bytes: Buffer, wanted: Buffer): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, from)) {
    parts.push(bytes.subarray(from, at), veil)
    from = at + wanted.length
  }
  return parts.length > 0 ? Buffer.concat([...parts, bytes.subarray(from)]) : bytes
}

// How many bytes at the end may be the beginning of the secret.
function lengthOfStart(bytes: Buffer, wanted: Buffer): number {
  for (let length = Math.min(bytes.length, wanted.length - 1); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(wanted.subarray(0, length))) return length
  }
  return 0
}
