/**
 * The same answer; `over` is called when all of its body was said, or its reader has left. What is said is not held up
 * by a slow reader: whoever says it does not wait either.
 */
export function untilSaid(answer: Response, over: () => void): Response {
  const { body, status, statusText, headers } = answer
  if (!body) {
    over()
    return answer
  }
  const reader = body.getReader()
  const said = new ReadableStream<Uint8Array>({
    start: (out) => {
      pass(reader, out)
        .finally(over)
        .catch(() => {})
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(said, { status, statusText, headers })
}

async function pass(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  out: ReadableStreamDefaultController<Uint8Array>,
): Promise<void> {
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      out.enqueue(value)
    }
    out.close()
  } catch (error) {
    out.error(error)
  }
}
