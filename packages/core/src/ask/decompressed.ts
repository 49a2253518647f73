import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { CapstanError } from '../words/error.js'

/**
 * The body of an answer with its `content-encoding` undone as it comes: nobody asks for one, and some servers
 * compress all the same. @throws CapstanError `unsupported` for one that is not gzip, deflate or br
 */
export function decompressed(answer: IncomingMessage): Readable {
  const encodings = (answer.headers['content-encoding'] ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
  return encodings.reduceRight<Readable>(undo, answer)
}

function undo(body: Readable, encoding: string): Readable {
  if (encoding === '' || encoding === 'identity') return body
  const zlib = process.getBuiltinModule('node:zlib')
  const { pipeline } = process.getBuiltinModule('node:stream')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  // Whether an answer is whole its content tells: a compression that was not closed loses nothing.
  if (/^(x-)?gzip$|^deflate$/.test(encoding)) {
    return pipeline(body, zlib.createUnzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }), ignore)
  }
  if (encoding === 'br') {
    const options = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }
    return pipeline(body, zlib.createBrotliDecompress(options), ignore)
  }
  const message = `The model server sent its answer as "${encoding}", which was not asked for. Turn that off there, or give chatModel a fetch.`
  throw new CapstanError('unsupported', message, { evidence: { encoding } })
}

/** The reader is told by the stream itself. */
function ignore(): void {}
