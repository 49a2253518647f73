import type { WireNote, WireNoteCode } from '@capstan/core'
import { visibleText } from '@capstan/core/internal'

/**
 * Explains a note of a tap in one line: what was received and how it was interpreted. The text is safe to show in a
 * terminal.
 */
export function explainNote({ code, call, from, to }: WireNote): string {
  const about = call === undefined ? '' : ` (call ${call})`
  const received = from === undefined ? '' : `: ${excerpt(from)}`
  const read = to === undefined ? '' : `${received === '' ? ': ' : ' '}read as ${excerpt(to)}`
  // A recording from a later version may contain unknown codes.
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : code
  return visibleText(`${sentence}${about}${received}${read}`)
}

/** A phrase for each note code. It says what was received and how it was interpreted. */
const sentences: Readonly<Record<WireNoteCode, string>> = {
  'body-for-stream': 'a stream was requested and a JSON body came; the body is the reply',
  'stream-for-body': 'a JSON body was requested and a stream came; the stream is the reply',
  'bytes-garbled': 'some bytes are not UTF-8; each was replaced by U+FFFD',
  compressed: 'the response was compressed without a request for it; it was decompressed',
  'left-open': 'the server kept the connection open after the end of the reply; it was closed',
  'broken-after-end': 'the connection broke after the end of the reply; nothing is missing',
  'no-usage': 'the server reported no tokens',
  'line-without-data': 'a line that does not start with "data:" was read as data',
  'events-joined': 'events without an empty line between them were separated',
  'event-passed-over': 'an event that is not a part of a reply was passed over',
  'start-missing': 'a part of the reply began without its first event',
  'no-finish-reason': 'the reply has no finish reason',
  'finish-reason-read': 'the finish reason has another spelling',
  'calls-despite-reason': 'the finish reason announces no calls; the reply has some, and they count',
  'choice-by-index': 'of several choices the first one counts; the others were passed over',
  'object-for-list': 'a single value stood in the place of a list; it was read as the list',
  'message-beside-choice': 'a part of the message stood beside it, in the choice',
  'text-again': 'a message repeated text that was streamed before; the repetition was left out',
  'call-by-order': 'a piece has no id and no known index; it was added to the call before it',
  'call-by-id': 'a piece has the id of one call and the index of another; the id counts',
  'call-by-name': 'a piece with known labels and another name started a call of its own',
  'call-again': 'a call came again; it counts once',
  'call-in-content': 'a part of the content is a call',
  'old-function-call': 'the call stood in the old field function_call',
  'id-missing': 'the call has no id; the run gave it one',
  'name-in-pieces': 'the name came in pieces and was joined',
  'name-cleaned': 'the name has more characters; without them it is a tool',
  'arguments-as-object': 'the arguments were no text; they were written as JSON',
  'arguments-elsewhere': 'the arguments stood in another field than function.arguments',
  'arguments-empty': 'the arguments were empty',
  'arguments-in-string': 'the arguments were encoded as JSON twice; they were decoded',
  'arguments-twice': 'the arguments came twice, or after an empty object; they count once',
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}...` : line)
}
