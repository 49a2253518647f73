import type { EventQueue } from './event-queue.js'

export interface Reading<Event, Item> {
  /** What the reader is given of an event; undefined: nothing. */
  pick(event: Event): Item | undefined
  /** Called before the first is read. @throws when nobody may read */
  begin(): void
  /** What follows the end: the reader is told that it is over when this resolves, and what it rejects with. */
  readonly result: Promise<unknown>
  /** Called when the reader leaves before the end. */
  leave(): void
}

/** Reads a queue to its end. By hand, not as a generator: a stream is thousands of events, and each would cost several turns. */
export function readQueue<Event, Item>(
  queue: EventQueue<Event>,
  { pick, begin, result, leave }: Reading<Event, Item>,
): AsyncIterableIterator<Item> {
  let state: 'new' | 'open' | 'over' = 'new'
  let waiting: Promise<unknown> | undefined
  const found = (): Item | undefined => {
    for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
      const item = pick(event)
      if (item !== undefined) return item
    }
    return undefined
  }
  const wait = async (): Promise<IteratorResult<Item>> => {
    while (state === 'open') {
      const item = found()
      if (item !== undefined) return { done: false, value: item }
      if (queue.isEnded) {
        state = 'over'
        await result
      } else await queue.changed()
    }
    return { done: true, value: undefined }
  }
  /** Whoever asks before the last one was answered stands behind it. */
  const inLine = (): Promise<IteratorResult<Item>> => {
    const mine = waiting ? waiting.then(wait, wait) : wait()
    waiting = mine
    const done = () => {
      if (waiting === mine) waiting = undefined
    }
    mine.then(done, done)
    return mine
  }
  return {
    async next() {
      if (state === 'new') begin()
      if (state === 'new') state = 'open'
      const item = waiting || state !== 'open' ? undefined : found()
      return item === undefined ? inLine() : { done: false, value: item }
    },
    async return() {
      if (state === 'open') leave()
      state = 'over'
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
