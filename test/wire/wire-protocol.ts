import { eventStream, type WireAnswer } from './answer.js'
import { done, finish, says, start } from './chunk.js'
import { replies } from './completion.js'

/** How the server of a case is asked, and answers what the case has no answer for. */
export interface WireProtocol {
  /** The end of the path. */
  readonly path: string
  /** A request in the form of chat completions, by which all are judged. */
  toChat(body: unknown): unknown
  /** A plain correct reply. */
  says(words: string, isStream: boolean): WireAnswer
}

export const chatWire: WireProtocol = {
  path: '/chat/completions',
  toChat: (body) => body,
  says: (words, isStream) =>
    isStream ? eventStream([start, says(words), finish('stop'), done]) : replies({ content: words }),
}
