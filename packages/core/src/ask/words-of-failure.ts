import { toTransportResponse } from './fetch-transport.js'
import { JsonEdge } from './json-edge.js'
import { Linger } from './linger.js'

/** The body of a failed answer as far as it comes, though its server may keep the connection, or break it. */
export async function wordsOf(response: Response): Promise<string> {
  const { read, leave } = toTransportResponse(response)
  const decoder = new TextDecoder()
  const edge = new JsonEdge()
  const linger = new Linger(leave)
  let words = ''
  linger.look({ isFinished: true, isWhole: false })
  try {
    await read((bytes) => {
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
