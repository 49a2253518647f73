import { toTransportResponse } from './fetch-transport.js'
import { JsonEdge } from './json-edge.js'
import { Linger } from './linger.js'

/** The body of a failed answer as far as it comes, up to `maxBytes`: its server may keep the connection, or break it. */
export async function wordsOf(response: Response, maxBytes: number): Promise<string> {
  const { read, leave } = toTransportResponse(response)
  const decoder = new TextDecoder()
  const edge = new JsonEdge()
  const linger = new Linger(leave)
  let words = ''
  let length = 0
  linger.look({ isFinished: true, isWhole: false })
  try {
    await read((bytes) => {
      length += bytes.byteLength
      if (length > maxBytes) return false
      const piece = decoder.decode(bytes, { stream: true })
      words += piece
      edge.add(piece)
      linger.look({ isFinished: true, isWhole: edge.isClosed })
      return true
    })
  } catch {
    // The status says that it failed; these are only words.
  } finally {
    linger.stop()
  }
  return words + decoder.decode()
}
