import { type Chain, toChain } from './chain.js'
import { idOf, isNewer, parseLine, type SessionLine } from './session-line.js'
import { unreadableSession } from './unreadable-session.js'

/** What a session's file says, read to the end of its last whole line. */
export interface SessionLog extends Chain<SessionLine> {
  /** Where that end is, in bytes; a line that was cut off may follow. */
  readonly end: number
  /** Why the session cannot be read in full, and what to do. */
  readonly fault: string | undefined
}

/** Reads a file, or what follows in it on `version` messages. */
export function parseLog(bytes: Buffer, id: string, version = 0): SessionLog {
  const { texts, end } = wholeLines(bytes)
  const lines = texts.map((text) => parseLine(text, id)).filter((line) => line !== undefined)
  const known = lines.filter((line): line is SessionLine => !isNewer(line))
  const chain = toChain(known, version)
  return { ...chain, end, fault: faultOf(chain, lines.find(isNewer)?.v) }
}

/** The log, when it can be read in full. @throws CapstanError `invalid_state` */
export function readable(path: string, id: string, log: SessionLog): SessionLog {
  if (log.fault !== undefined) throw unreadableSession(id, log.fault, { path })
  return log
}

/** The ids that a file's lines name, in their order. */
export function idsIn(bytes: Buffer): string[] {
  return [...new Set(wholeLines(bytes).texts.map(idOf))].filter((id) => id !== undefined)
}

function wholeLines(bytes: Buffer): { texts: string[]; end: number } {
  const end = bytes.lastIndexOf('\n') + 1
  return { texts: bytes.toString('utf8', 0, end).split('\n'), end }
}

function faultOf({ version, loose }: Chain<SessionLine>, newer: number | undefined): string | undefined {
  if (newer !== undefined) return `it has format ${newer}. Use the version that wrote it.`
  if (!loose) return undefined
  const missing = `messages ${version + 1} to ${loose.at} are missing from its file, and later ones are there`
  return `${missing}. Restore the file from a copy, or delete the session.`
}
