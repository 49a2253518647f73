import { type AssistantMessage, callsOf, textOf } from '../../types/message.js'
import { type ModelDelta, type ModelSink, restartNotice } from '../../types/model.js'

interface StreamJudge {
  /** Whether the text so far may be released. */
  judge(text: string): Promise<boolean>
  /** Whether calls to this tool contain the answer. If so, they are held back until the reply is complete. */
  isAnswer(name: string): boolean
}

type HeldDelta = Extract<ModelDelta, { readonly type: 'call' }>

/** A streamed reply so far. `end`, `allowed`, `released` and `after` are positions in its text. */
interface StreamedText {
  text: string
  /** The end of the last complete sentence, or of the text before a call. */
  end: number
  allowed: number
  released: number
  /** Whether the judge has held text back. If so, the judge is not called again until the reply is complete. */
  isHeld: boolean
  /** The deltas of calls. `after` is where the text before the call ends. */
  readonly calls: { readonly delta: HeldDelta; readonly after: number }[]
  releasedCalls: number
}

/**
 * Holds a streamed reply's text back until a judge allows it, sentence by sentence. Calls are held back with the text
 * before them. Reasoning is dropped. The event for a restarted reply is passed on immediately.
 */
export class HeldStream {
  /** Receives the model's deltas. */
  readonly sink: ModelSink = (delta) => this.#take(delta)
  readonly #to: ModelSink
  readonly #judge: StreamJudge
  #reply = emptyReply()
  #checking: Promise<void> | undefined

  constructor(to: ModelSink, judge: StreamJudge) {
    this.#to = to
    this.#judge = judge
  }

  /** Waits for the judge. Returns the text that it allowed. */
  async settled(): Promise<string> {
    while (this.#checking) await this.#checking
    const { text, allowed } = this.#reply
    return text.slice(0, allowed)
  }

  /**
   * Releases the rest of the complete reply. If the reply does not start with the released text, listeners are told to
   * discard that text.
   */
  release(message: AssistantMessage): void {
    const { text, released, calls } = this.#reply
    // If the reply was not streamed, nothing is released.
    if (text === '' && calls.length === 0) return
    const final = textOf(message.content)
    if (!final.startsWith(text.slice(0, released))) this.void()
    const rest = final.slice(this.#reply.released)
    if (rest !== '') this.#to({ type: 'text', text: rest })
    for (const delta of this.#restOfCalls(message)) this.#to(delta)
  }

  /** Drops the text that is held back. Called after the request has failed or the reply has restarted. */
  close(): void {
    this.#reply = emptyReply()
    this.#checking = undefined
  }

  /** Tells listeners to discard the text released so far. */
  void(): void {
    const reply = this.#reply
    if (reply.released === 0 && reply.releasedCalls === 0) return
    Object.assign(reply, { released: 0, releasedCalls: 0 })
    this.#to(restartNotice('A guard changed the reply.'))
  }

  #take(delta: ModelDelta): void {
    const reply = this.#reply
    if (delta.type === 'reasoning') return
    if (delta.type === 'retry') {
      this.close()
      this.#to(delta)
      return
    }
    if (delta.type === 'call') {
      reply.end = reply.text.length
      reply.calls.push({ delta, after: reply.end })
    } else {
      // The end of a sentence may span two deltas.
      const from = Math.max(reply.end, reply.text.length - 8)
      reply.text += delta.text
      reply.end = lastSentenceEnd(reply.text, from) ?? reply.end
    }
    this.#check(reply)
  }

  /** Judges the text up to the last complete sentence, unless a judgement is in progress or text is already held. */
  #check(reply: StreamedText): void {
    if (this.#checking || reply.isHeld) return
    const { end } = reply
    const text = reply.text.slice(0, end)
    if (end === reply.allowed || text.trim() === '') {
      reply.allowed = end
      this.#flush(reply)
      return
    }
    const verdict = this.#judge.judge(text).catch(() => false)
    this.#checking = verdict.then((isAllowed) => {
      // The reply has restarted, or the request has failed.
      if (reply !== this.#reply) return
      this.#checking = undefined
      reply.isHeld = !isAllowed
      if (isAllowed) reply.allowed = end
      this.#flush(reply)
      this.#check(reply)
    })
  }

  #flush(reply: StreamedText): void {
    const text = reply.text.slice(reply.released, reply.allowed)
    reply.released = Math.max(reply.released, reply.allowed)
    if (text !== '') this.#to({ type: 'text', text })
    for (const { delta, after } of reply.calls.slice(reply.releasedCalls)) {
      if (after > reply.released || this.#judge.isAnswer(delta.name)) return
      reply.releasedCalls += 1
      this.#to(delta)
    }
  }

  /**
   * Returns the deltas of calls that have not been released. A call that contains the answer becomes one delta, with
   * its final arguments.
   */
  #restOfCalls(message: AssistantMessage): HeldDelta[] {
    const { calls, releasedCalls } = this.#reply
    const indexes = [...new Set(calls.map(({ delta }) => delta.index))]
    const final = callsOf(message)
    const known = new Set<number>()
    return calls.slice(releasedCalls).flatMap(({ delta }) => {
      if (!this.#judge.isAnswer(delta.name)) return [delta]
      const args = final[indexes.indexOf(delta.index)]?.function.arguments
      const isFirst = !known.has(delta.index)
      known.add(delta.index)
      return isFirst && args !== undefined ? [{ ...delta, arguments: args }] : []
    })
  }
}

function emptyReply(): StreamedText {
  return { text: '', end: 0, allowed: 0, released: 0, isHeld: false, calls: [], releasedCalls: 0 }
}

/**
 * Matches the end of a sentence: punctuation and quotes before white space, full-width punctuation, or a line break.
 */
const sentenceEnd = /[.!?…]["'”’)\]»*_]*\s+|[。！？]["'”’」』）]*|\n+/g

function lastSentenceEnd(text: string, from: number): number | undefined {
  sentenceEnd.lastIndex = from
  let end: number | undefined
  for (let found = sentenceEnd.exec(text); found; found = sentenceEnd.exec(text))
    end = found.index + found[0].length
  return end
}
