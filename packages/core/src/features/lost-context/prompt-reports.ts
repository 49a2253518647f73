// A server reports how many tokens of a prompt it has read. A report that falls behind what was sent is a cut prompt.

import { setNewest } from '../../json.js'
import type { Message } from '../../types/message.js'

/** Estimated tokens of what one request contains. */
export interface Sent {
  readonly instructions: number
  /** The definitions of tools. */
  readonly tools: number
  readonly messages: readonly Part[]
  /** All tokens, and all pictures. */
  readonly total: number
  readonly pictures: number
}

/** One message. */
export interface Part {
  /** Equal for messages of the same length and size. */
  readonly id: number
  readonly kind: Kind
  readonly tokens: number
  /** Tokens of reasoning, which servers may leave out of later prompts. */
  readonly optional: number
  readonly pictures: number
  readonly role: Message['role']
}

/** Kinds of text whose tokens servers count differently: Latin words, other letters, ideographs, JSON. */
export type Kind = 'words' | 'letters' | 'signs' | 'data'

/** A report that is too small for what was sent, in tokens as the server counts them. */
export interface Shortfall {
  /** The tokens that the request is expected to have. */
  readonly sent: number
  readonly reported: number
  /** The largest prompt that the server has reported for the conversation: its window is about that size. */
  readonly window: number
  /** The server's tokens for each estimated one. */
  readonly ratio: number
}

/** What one request has more than another. */
interface Change {
  readonly added: readonly Part[]
  readonly total: number
  /** The tokens of added messages that the model did not write. */
  readonly fresh: number
  /** The tokens of reasoning in added messages, which servers may count. */
  readonly optional: number
  /** The tokens of messages that are left out, and of reasoning that may be. */
  readonly dropped: number
  /** How much longer instructions and definitions are. */
  readonly header: number
}

/** Compares two requests of a conversation; undefined when they do not begin with the same message. */
function changeOf(before: Sent, after: Sent): Change | undefined {
  const old = before.messages
  const { messages } = after
  let start = 0
  while (start < old.length && old[start]?.id === messages[start]?.id) start += 1
  if (start === 0) return undefined
  const added = messages.slice(start)
  const gone = old.slice(start)
  const hasUser = added.some(({ role }) => role === 'user')
  const turn = hasUser ? old.slice(old.findLastIndex(({ role }) => role === 'user') + 1) : []
  return {
    added,
    ...sizeOf(added),
    optional: sum(added, ({ optional }) => optional),
    dropped: sum(gone, ({ tokens, optional }) => tokens + optional) + sum(turn, ({ optional }) => optional),
    header: after.instructions + after.tools - before.instructions - before.tools,
  }
}

/** The tokens of messages, and those of messages that the model did not write. */
function sizeOf(messages: readonly Part[]): Pick<Change, 'total' | 'fresh'> {
  return {
    total: sum(messages, ({ tokens }) => tokens),
    fresh: sum(messages, ({ role, tokens }) => (role === 'assistant' ? 0 : tokens)),
  }
}

/** The fewest and the most tokens that any server counts for an estimated one. */
const generous = 0.35
const most = 2.5

/** The server's tokens for an estimated one, by kind of text. */
class Ratios {
  readonly #known = new Map<Kind, KnownRatio>()
  #sent = 0
  #reported = 0

  get mean(): number {
    return this.#sent > 0 ? this.#reported / this.#sent : 1
  }

  /** The least tokens of these texts, with care where little of their kind was seen. */
  least(messages: readonly Part[], care: number): number {
    return sum(messages, ({ kind, tokens }) => tokens * this.#leastOf(kind, care))
  }

  #leastOf(kind: Kind, care: number): number {
    const known = this.#known.get(kind)
    if (!known) return Math.min(0.5, Math.max(0.25, 0.45 * this.mean))
    return known.least * (known.times < 3 ? 0.6 : 1 - care)
  }

  learn({ added, total }: Change, reported: number): void {
    const ratio = reported / total
    this.#sent += total
    this.#reported += reported
    for (const kind of new Set(added.map((one) => one.kind))) {
      const ofKind = sum(added, (one) => (one.kind === kind ? one.tokens : 0))
      if (ofKind < 0.7 * total) continue
      const { least, times } = this.#known.get(kind) ?? { least: ratio, times: 0 }
      // Much less than before may be of a prompt that was cut.
      if (ratio < 0.55 * least) continue
      this.#known.set(kind, { least: Math.min(ratio, least), times: times + 1 })
    }
  }
}

interface KnownRatio {
  readonly least: number
  readonly times: number
}

/** What is kept of a request, to compare later ones of its conversation with. */
interface Anchor {
  readonly sent: Sent
  readonly reported: number
  /** The least tokens that the prompt had. */
  readonly floor: number
  /** The largest report of the conversation. */
  readonly largest: number
  /** Whether the report was too small. */
  readonly isShort: boolean
}

/** The least that a request can have, from an earlier one of its conversation. */
interface Bound {
  readonly anchor: Anchor
  readonly change: Change
  readonly growth: number
  readonly least: number
  /**
   * Whether nothing is left out, and definitions of tools are in both prompts or in none: some templates write them only
   * behind a user message.
   */
  readonly isSure: boolean
}

/** A report beside what was sent. */
interface Reading {
  readonly sent: Sent
  readonly reported: number
  /** The earlier request that promises the most, and the newest one. */
  readonly best: Bound | undefined
  readonly last: Bound | undefined
  /** The least tokens that were sent. */
  readonly least: number
  /** Whether the report is too small for any tokenizer. */
  readonly isFar: boolean
  /** Whether the report is that of the request before, and much was added. */
  readonly isStill: boolean
  readonly isShort: boolean
}

const maxAnchors = 400
/** No server has a smaller window: a smaller report is something else. */
const smallestWindow = 512
/** How many messages a request may have more than the one before it. */
const maxAdded = 20

/** What the reports of one model on one server have taught. */
export class PromptReports {
  readonly #ratios = new Ratios()
  readonly #anchors = new Map<number, Anchor>()
  #number = 0
  /** Reports that grew with what was sent, and those that cannot be counts of it. */
  #consistent = 0
  #contrary = 0
  /** Whether reports contain what the server has cached. */
  #countsAll = false
  /** The first report, the number of times it was repeated, and whether there was another one. */
  #first = 0
  #repeats = 0
  #varies = false

  /** Whether the server reports the same for every request: that says nothing. Called once with each report. */
  isConstant(reported: number): boolean {
    if (this.#first === 0) this.#first = reported
    if (reported === this.#first) this.#repeats += 1
    else this.#varies = true
    return !this.#varies && this.#repeats > 4
  }

  /** Returns what is missing in a prompt, and learns from the report. */
  judge(sent: Sent, reported: number): Shortfall | undefined {
    const reading = this.#read(sent, reported)
    const { best, last, least, isShort } = reading
    if (reported > this.#mostOf(reading)) this.#contrary += 1
    if (last && !isShort) this.#learn(reading, last)
    this.#number += 1
    const isLost = isShort && this.#isLost(reading)
    const largest = this.#keep(reading)
    if (!isLost) return undefined
    const { mean } = this.#ratios
    const expected = best ? best.least - best.growth + mean * best.change.total : mean * sent.total
    return { sent: Math.round(Math.max(least, expected)), reported, window: largest, ratio: mean }
  }

  #read(sent: Sent, reported: number): Reading {
    const bounds = this.#boundsOf(sent)
    const [last, second] = bounds
    const best = last && second && second.least > last.least ? second : last
    const header = sent.instructions + (roleOf(sent) === 'user' ? sent.tools : 0)
    const any = generous * (sent.total - sent.instructions - sent.tools + header)
    const alone = best?.isSure ? 0 : generous * header + this.#ratios.least(sent.messages, 0.1)
    const least = Math.max(best?.least ?? 0, alone)
    const isFar = reported < any - 256
    const isStill = last !== undefined && this.#isStill(sent, reported, last)
    const isShort = isFar || isStill || reported < least - Math.max(96, 0.1 * reported)
    return { sent, reported, best, last, least, isFar, isStill, isShort }
  }

  /** Every server counts something for texts of this length, also with some noise: an equal report is a full window. */
  #isStill({ pictures }: Sent, reported: number, { anchor, change, isSure }: Bound): boolean {
    const isSame = isSure && change.header >= 0 && pictures >= anchor.sent.pictures
    const added = change.total - change.optional
    return this.#varies && isSame && reported === anchor.reported && added > 256 + 0.15 * reported
  }

  #boundsOf(sent: Sent): Bound[] {
    const { length } = sent.messages
    const found = new Map<Role, Anchor>()
    for (let end = length; end > Math.max(0, length - maxAdded) && found.size < 2; end--) {
      const anchor = this.#anchors.get(endOf(sent, end))
      // Equal questions and replies have the key of earlier ones, which had fewer messages before them.
      if (!anchor || anchor.sent.messages.length < end || found.has(roleOf(anchor.sent))) continue
      found.set(roleOf(anchor.sent), anchor)
    }
    return [...found].flatMap(([role, anchor]) => {
      const change = changeOf(anchor.sent, sent)
      // How many tokens a picture has is not known.
      if (!change || anchor.sent.pictures > sent.pictures) return []
      const isKin = role === roleOf(sent)
      const growth = this.#growthOf(change, isKin || role === 'tool' ? 0 : sent.tools)
      return [{ anchor, change, growth, least: anchor.floor + growth, isSure: isKin && change.dropped === 0 }]
    })
  }

  /** The least tokens that a change adds. */
  #growthOf(change: Change, uncertain: number): number {
    const { header, dropped } = change
    const added = this.#ratios.least(change.added, 0.15) + (header > 0 ? generous : most) * header
    return added - most * (dropped + uncertain)
  }

  #mostOf({ sent, last }: Reading): number {
    const pictures = 4000 * (sent.pictures - (last ? last.anchor.sent.pictures : 0))
    if (last) return last.anchor.largest + 4 * (last.change.total + sent.tools) + 400 + Math.max(0, pictures)
    const all = sent.total
    return pictures + (this.#consistent < 2 ? 2.5 * all + 400 : 6 * all + 4000)
  }

  #isLost({ sent, reported, last, least, isFar, isStill }: Reading): boolean {
    const anchor = last?.anchor
    const isProven = this.#consistent >= 2
    const isTiny = reported < smallestWindow && this.#consistent < 6
    if (isTiny) this.#contrary += 1
    if (isTiny || 6 * this.#contrary > this.#consistent) return false
    const isSmall = (!this.#countsAll && this.#number > 1) || reported < 0.45 * (anchor?.largest ?? 0)
    if (isSmall && this.#isFresh(reported, last?.change ?? sizeOf(sent.messages))) return false
    if (isStill) return true
    if (!anchor) return isFar || isProven
    const grown = reported - anchor.reported
    if (!isProven) {
      const isLevel = anchor.isShort && Math.abs(grown) < 0.02 * reported
      return isFar ? reported > 0.4 * anchor.largest : isLevel
    }
    const missing = least - reported
    const isAgain = anchor.isShort && missing > 0.11 * least
    return isFar || missing > 0.15 * least || isAgain
  }

  /** Whether a server that counts only what it has not cached would report this. */
  #isFresh(reported: number, { fresh, total }: Pick<Change, 'fresh' | 'total'>): boolean {
    const { mean } = this.#ratios
    const ratio = this.#consistent > 0 ? Math.min(1.6 * mean, most) : most
    return reported >= generous * fresh && reported <= ratio * total + 96
  }

  #learn({ sent, reported, least }: Reading, { anchor, change, isSure }: Bound): void {
    if (anchor.isShort) {
      if (isSure && reported >= least) this.#contrary += 1
      return
    }
    const isSame = change.header === 0 && change.dropped === 0 && sent.pictures === anchor.sent.pictures
    if (!isSame || change.total < 24) return
    const grown = reported - anchor.reported
    if (grown < 0.25 * change.total || grown > 4 * (change.total + change.optional)) return
    if (this.#consistent > 2 || reported > most * change.total + 96) this.#countsAll = true
    this.#consistent += 1
    if (isSure && change.total >= 100 && change.optional === 0) this.#ratios.learn(change, grown)
  }

  /** Returns the largest report of the conversation. */
  #keep({ sent, reported, last, least, isShort }: Reading): number {
    const before = last?.anchor
    const largest = Math.max(reported, before?.largest ?? 0)
    const anchor = { sent, reported, floor: Math.max(least, reported), largest, isShort }
    setNewest(this.#anchors, endOf(sent, sent.messages.length), anchor, maxAnchors)
    return largest
  }
}

type Role = 'user' | 'tool'

/** What the last message is: definitions of tools may depend on it. */
function roleOf({ messages }: Sent): Role {
  return messages.at(-1)?.role === 'tool' ? 'tool' : 'user'
}

/** What a request ends in at a message: later ones of the conversation contain it. */
function endOf({ messages }: Sent, end: number): number {
  return 31 * (messages[end - 2]?.id ?? 0) + (messages[end - 1]?.id ?? 0)
}

export function sum<One>(list: readonly One[], count: (one: One) => number): number {
  return list.reduce((all, one) => all + count(one), 0)
}
