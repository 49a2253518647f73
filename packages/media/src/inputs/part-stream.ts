import { filledStream } from '@capstan/core/wire'
import { letGo } from './let-go.js'

/** Where the parts of a stream are from. */
export interface Parts {
  readonly parts: AsyncIterable<Uint8Array>
  /** Whether they are nobody's but ours: then each is let go once it is copied. */
  readonly isOwn: boolean
  /** Ends what they come from, when no more are wanted. */
  end(): void
}

/** Parts as they come, read into what the reader brings, where it brings something. */
export function partStream({ parts, isOwn, end }: Parts): ReadableStream<Uint8Array> {
  const each = parts[Symbol.asyncIterator]()
  let whole: Uint8Array = new Uint8Array()
  let left = whole
  return filledStream({
    async read(into) {
      while (left.length === 0) {
        const { done, value } = await each.next()
        if (done) return 0
        whole = value
        left = value
      }
      const length = Math.min(left.length, into.length)
      into.set(left.subarray(0, length))
      left = left.subarray(length)
      if (left.length === 0 && isOwn) letGo(whole)
      return length
    },
    close: async () => end(),
  })
}
