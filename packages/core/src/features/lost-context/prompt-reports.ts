// A server reports how many tokens of a prompt it has read. A report that falls behind what was sent is a cut prompt.

/** One request, in estimated tokens. */
export interface Prompt {
  /** Instructions and definitions of tools. */
  readonly head: number
  readonly tools: number
  /** All messages. */
  readonly text: number
  /** Reasoning since the user has written. */
  readonly optional: number
  readonly pictures: number
  /** Whether it ends in a result: some templates write definitions of tools only behind a user message. */
  readonly isReply: boolean
}

/** A request and its report, to compare later ones with that begin with the same messages. */
interface Anchor extends Prompt {
  /** The number of its messages. */
  readonly count: number
  /** Equal for requests with the same messages. */
  readonly key: number
  readonly reported: number
  /** The report, or what it should have been. */
  readonly floor: number
}

const nothing: Anchor = {
  count: 0,
  key: 0,
  head: 0,
  tools: 0,
  text: 0,
  optional: 0,
  pictures: 0,
  isReply: false,
  reported: 0,
  floor: 0,
}

/** The least share of the usual count that a text has, of any language. */
const leastShare = 0.6
/** The most tokens that a server counts for an estimated one, for its template, and for a picture. */
const [most, mostOfTemplate, mostOfPicture] = [2.5, 1000, 4000]
/** No server has a smaller window: a smaller report is something else. */
const smallestWindow = 512
const [maxAnchors, mostCompared] = [400, 8]

/** What the reports of one model on one server have taught. */
export class PromptReports {
  /** The newest last. */
  readonly #anchors: Anchor[] = []
  /** Estimated tokens, and those counted for them. The first are made up, and low. */
  #estimated = 500
  #counted = 290
  /** Reports that grew with what was sent, and those that cannot be counts of it. */
  #consistent = 0
  #contrary = 0
  /** The largest report. If prompts are cut, the window is about that size. */
  largest = 0
  /** The first report, and how often it came since. */
  #first = 0
  #repeats = 0

  /** Whether the server reports the same for every request: that says nothing. Called once with each report. */
  isConstant(reported: number): boolean {
    this.#first ||= reported
    this.#repeats = reported === this.#first ? this.#repeats + 1 : -Infinity
    return this.#repeats > 4
  }

  /** Returns the least tokens that the request has if the report shows a loss, and learns from the report. */
  judge(now: Prompt, keys: readonly number[], reported: number): number | undefined {
    const rate = (leastShare * this.#counted) / this.#estimated
    let last = nothing
    // Some templates leave definitions of tools out.
    let least = rate * (now.head - now.tools + now.text)
    // Older ones say little more, and a long conversation has many.
    for (let at = this.#anchors.length - 1, left = mostCompared; at >= 0 && left > 0; at--) {
      const one = this.#anchors[at] as Anchor
      // How many tokens a picture has is not known.
      if (keys[one.count - 1] !== one.key || one.pictures > now.pictures) continue
      left -= 1
      if (one.count > last.count) last = one
      least = Math.max(least, one.floor + rate * (now.text - one.text) - most * droppedFrom(one, now))
    }
    // The same report for more is a full window.
    const isEqual = reported === last.reported
    const isShort = least - reported > Math.max(100, (isEqual ? 0.05 : 0.1) * least)
    if (isShort && reported < smallestWindow) this.#contrary += 1
    this.#learn(now, last, reported, rate)
    // The first report is only short if it is so for any tokenizer.
    const needed = this.#anchors.length === 0 ? 0 : isEqual ? 0.5 : 2
    const [count, key = 0] = [keys.length, keys.at(-1)]
    this.#anchors.push({ ...now, count, key, reported, floor: isShort ? least : reported })
    if (this.#anchors.length > maxAnchors) this.#anchors.shift()
    return isShort && this.#consistent >= Math.max(needed, 6 * this.#contrary) ? least : undefined
  }

  #learn(now: Prompt, last: Anchor, reported: number, rate: number): void {
    const added = now.text - last.text
    const grown = reported - last.floor
    const pictures = now.pictures - last.pictures
    const optional = now.optional - last.optional
    this.largest = Math.max(this.largest, reported)
    if (grown > most * (added + now.head) + mostOfTemplate + mostOfPicture * pictures) this.#contrary += 1
    if (last === nothing || now.head !== last.head || pictures > 0) return
    if (grown <= rate * added || grown >= most * (added + optional)) return
    // What was added is also the report of a server that leaves out what it has cached.
    this.#consistent += reported > 1.5 * added ? 1 : 0.5
    if (now.isReply !== last.isReply || optional !== 0) return
    this.#estimated += added
    this.#counted += grown
  }
}

/** Returns the estimated tokens that a server may have left out of a later prompt. */
function droppedFrom(before: Prompt, now: Prompt): number {
  const hidden = now.isReply && !before.isReply ? now.tools : 0
  return Math.max(0, before.head - now.head + hidden) + Math.max(0, before.optional - now.optional)
}
