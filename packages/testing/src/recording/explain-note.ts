import type { WireNote, WireNoteCode } from '@capstan/core'
import { visibleText } from '@capstan/core/internal'

/**
 * Explains a tap's note in one line: what was received, and how it was interpreted. The line is safe to show in a
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

/** A phrase for each note code. It states what was received and how it was interpreted. */
const sentences: Readonly<Record<WireNoteCode, string>> = {
  'body-for-stream': 'a stream was requested, but a JSON body was received; it was used as the reply',
  'stream-for-body': 'a JSON body was requested, but a stream was received; it was used as the reply',
  'bytes-garbled': 'some bytes are not UTF-8; each was replaced with U+FFFD',
  compressed: 'the response was compressed, although this was not requested; it was decompressed',
  'left-open': 'the server kept the connection open after the end of the reply; the connection was closed',
  'broken-after-end': 'the connection broke after the end of the reply; nothing is missing',
  'no-usage': 'the server reported no token counts',
  'line-without-data': 'a line that does not start with "data:" was read as data',
  'events-joined': 'events without an empty line between them were separated',
  'event-passed-over': 'an event that is not part of a reply was ignored',
  'start-missing': 'the first event of a part of the reply is missing',
  'no-finish-reason': 'the reply has no finish reason',
  'finish-reason-read': 'the finish reason has a different spelling',
  'calls-despite-reason':
    'the finish reason announces no calls, but the reply contains some; they were accepted',
  'choice-by-index': 'the reply has several choices; only the first one was used',
  'object-for-list': 'there was a single value instead of an array; it was read as an array of one',
  'message-beside-choice': 'a part of the message was next to it, in the choice',
  'text-again': 'a message repeated text that had already been streamed; the repetition was omitted',
  'call-by-order': 'a fragment has no id and no known index; it was added to the previous call',
  'call-by-id': 'a fragment has the id of one call and the index of another; the id was used',
  'call-by-name': 'a fragment with a known id and index, but a different name, started a new call',
  'call-again': 'a call was repeated; it was used only once',
  'call-in-content': 'a part of the content was a call',
  'old-function-call': 'the call was in the old field function_call',
  'id-missing': 'the call has no id; one was added',
  'name-in-pieces': 'the name arrived in fragments; they were joined',
  'name-cleaned': 'the name contained additional characters; without them, it is the name of a tool',
  'arguments-as-object': 'the arguments were not a string; they were converted to JSON',
  'arguments-elsewhere': 'the arguments were in a field other than function.arguments',
  'arguments-empty': 'the arguments were empty',
  'arguments-in-string': 'the arguments were encoded as JSON twice; they were decoded',
  'arguments-twice': 'the arguments were sent twice, or after an empty object; they were used only once',
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}...` : line)
}
