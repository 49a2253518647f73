import type { Message } from '../words/message.js'
import { type Addition, withMessages } from './addition.js'
import type { Entry } from './chain.js'

/** One append, as a line of a session's file. */
export interface SessionLine extends Entry {
  readonly messages: readonly Message[]
}

/** A line of a version of this format that is not known here. Every version has `v` and `id`. */
export interface NewerLine {
  readonly v: number
}

/** The line of an append, without the end of the line. */
export function toLine({ id, at, by, time, messagesText }: Addition): string {
  return withMessages({ v: format, id, at, by, time }, messagesText)
}

/** What a line says of a session; undefined for one that was cut off, belongs elsewhere or is empty. */
export function parseLine(text: string, id: string): SessionLine | NewerLine | undefined {
  const line = parseRecord(text)
  if (line === undefined || line.id !== id || typeof line.v !== 'number') return undefined
  const { v, at, by, time, messages } = line
  if (v > format) return { v }
  if (v !== format || typeof at !== 'number' || typeof by !== 'string') return undefined
  if (typeof time !== 'number' || !Array.isArray(messages)) return undefined
  return { at, by, time, count: messages.length, messages }
}

/** The id that a line names, whoever wrote it. */
export function idOf(text: string): string | undefined {
  const id = parseRecord(text)?.id
  return typeof id === 'string' ? id : undefined
}

export function isNewer(line: SessionLine | NewerLine): line is NewerLine {
  return 'v' in line
}

const format = 1

function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
