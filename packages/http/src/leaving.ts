/** Aborted when the reader of an answer leaves: hosts tell that by the request's signal, by the stream, or by both. */
export function leavingOf({ signal }: Request): AbortController {
  const leaving = new AbortController()
  if (signal.aborted) leaving.abort()
  else signal.addEventListener('abort', () => leaving.abort(), { once: true })
  return leaving
}
