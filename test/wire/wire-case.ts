import type { WireNoteCode } from '@capstan/core'
import { eventStream, type WireAnswer, type Write } from './answer.js'
import type { Expectation } from './expectation.js'
import { getWeather, type ToolShape } from './tool-shapes.js'
import { chatWire, type WireProtocol } from './wire-protocol.js'

export type Area =
  | 'assembly'
  | 'finish'
  | 'shape'
  | 'arguments'
  | 'names'
  | 'framing'
  | 'http'
  | 'items'
  | 'blocks'

/** One thing that servers do, and what an honest client makes of it. */
export interface WireCase {
  /** Never changes, and is never given to another case. */
  readonly id: string
  readonly area: Area
  readonly protocol: WireProtocol
  /** What the server does. */
  readonly title: string
  /** `must`: every serious client gets it right. `should`: better ones do. */
  readonly level: 'must' | 'should'
  /** Public issues (`owner/repo#number`), addresses or remarks. */
  readonly evidence: readonly string[]
  readonly question: string
  readonly tools: readonly ToolShape[]
  /** Whether a stream is asked for. */
  readonly streamed: boolean
  /** Answers to the question: the first, then those to its repetitions. */
  readonly answers: readonly WireAnswer[]
  /** Answers to the requests that end in tool messages, in order. */
  readonly next: readonly WireAnswer[]
  /** Any one of these will do; the first is the best. */
  readonly expect: readonly Expectation[]
  /** The case is run once with each of these numbers of retries. */
  readonly retries: readonly number[]
  readonly timeLimitMs: number
  /** The codes of what is read as other than it was sent, without retries; by name. */
  readonly notes: readonly WireNoteCode[]
}

/** A case as it is written down; what is absent is usual. */
export type CaseData = Asked & {
  readonly evidence: readonly string[]
  readonly expect: Expectation | readonly Expectation[]
  readonly level?: WireCase['level']
  /** Default: the weather in Oslo. */
  readonly question?: string
  /** Default: get_weather. */
  readonly tools?: readonly ToolShape[]
  /** Answers to repetitions of the question. Default: a plain correct one. */
  readonly again?: readonly WireAnswer[]
  readonly next?: readonly WireAnswer[]
  /** Default: 0, and in the area `http` 0 and 2. */
  readonly retries?: readonly number[]
  /** Default: 5 s, and 15 s with retries. */
  readonly timeLimitMs?: number
  /** Default: none, everything is read as it stands. */
  readonly notes?: readonly WireNoteCode[]
}

/** What is asked for, and the answer: a stream (its parts, or any answer), or a plain one. */
type Asked =
  | { readonly stream: readonly (string | Uint8Array | Write)[] | WireAnswer; readonly plain?: undefined }
  | { readonly plain: WireAnswer; readonly stream?: undefined }

/** The constructor of cases of one area. */
export function inArea(
  area: Area,
  protocol = chatWire,
): (id: string, title: string, data: CaseData) => WireCase {
  return (id, title, data) => {
    const { level = 'must', question = 'What is the weather in Oslo?', tools = [getWeather] } = data
    const { evidence, expect, next = [], notes = [], retries = area === 'http' ? [0, 2] : [0] } = data
    const usualLimit = retries.some((count) => count > 0) ? 15_000 : 5000
    return {
      ...{ id, area, protocol, title, level, evidence, question, tools, next, retries, notes },
      streamed: data.stream !== undefined,
      answers: [firstAnswer(data), ...(data.again ?? [])],
      expect: isList(expect) ? expect : [expect],
      timeLimitMs: data.timeLimitMs ?? usualLimit,
    }
  }
}

function firstAnswer({ stream, plain }: Asked): WireAnswer {
  if (plain) return plain
  return 'writes' in stream ? stream : eventStream(stream)
}

function isList<Item>(value: Item | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value)
}
