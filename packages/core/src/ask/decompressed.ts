import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import type { Inflate, InflateRaw } from 'node:zlib'
import { CapstanError } from '../words/error.js'

/**
 * The body of an answer with its `content-encoding` undone as it comes: nobody asks for one, and some servers
 * compress all the same. @throws CapstanError `unsupported` for one that is not gzip, deflate or br
 */
export function decompressed(answer: IncomingMessage): Readable {
  if (!answer.rawHeaders.some(isEncoding)) return answer
  const given = answer.headers['content-encoding'] ?? ''
  const encodings = given.split(',').map((one) => one.trim().toLowerCase())
  return encodings.reduceRight<Readable>(undo, answer)
}

/** Headers are put together when they are first asked for: mostly that is never. */
function isEncoding(name: string): boolean {
  return name.length === encodingName.length && name.toLowerCase() === encodingName
}

const encodingName = 'content-encoding'

function undo(body: Readable, encoding: string): Readable {
  if (isNone.test(encoding)) return body
  const { pipeline } = process.getBuiltinModule('node:stream')
  return pipeline(body, toDecompression(encoding), ignore)
}

/** Some servers write there what belongs into the type. */
const isNone = /^(|identity|none|utf-?8)$/

/** Whether an answer is whole its content tells: a compression that was not closed loses nothing. */
function toDecompression(encoding: string): Transform {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  const options = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (/^(x-)?gzip$/.test(encoding)) return zlib.createUnzip(options)
  if (encoding === 'deflate') {
    return inflation((isWrapped) =>
      isWrapped ? zlib.createInflate(options) : zlib.createInflateRaw(options),
    )
  }
  if (encoding === 'br') {
    return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
  }
  const message = `The model server sent its answer as "${encoding}", which was not asked for. Turn that off there, or give chatModel a fetch.`
  throw new CapstanError('unsupported', message, { evidence: { encoding } })
}

/** "deflate" comes with the wrapping of zlib or, against the rules, without: the first byte tells. */
function inflation(create: (isWrapped: boolean) => Inflate | InflateRaw): Transform {
  const { Transform } = process.getBuiltinModule('node:stream')
  let inflate: Inflate | InflateRaw | undefined
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      inflate ??= create(((piece[0] ?? 0) & 15) === 8)
        .on('data', (bytes) => this.push(bytes))
        .on('error', (error) => this.destroy(error))
      inflate.write(piece, done)
    },
    flush(done) {
      if (inflate) inflate.once('end', done).end()
      else done()
    },
    destroy(error, done) {
      inflate?.destroy()
      done(error)
    },
  })
}

/** The reader is told by the stream itself. */
function ignore(): void {}
