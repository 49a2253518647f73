import type { WireNoteCode } from '@capstan/core'

/** The sentence of each note on an answer. The rules are those of docs/reference/wire.md. */
export const noteSentences: Readonly<Record<WireNoteCode, string>> = {
  'body-for-stream': 'A stream was asked for, and one body came: it was read as a whole.',
  'stream-for-body': 'One body was asked for, and a stream came: its events were put together.',
  'bytes-garbled': 'Bytes that are not UTF-8 were replaced.',
  compressed: 'The answer was compressed.',
  'left-open': 'The answer was complete, and the server left the connection open.',
  'broken-after-end': 'The connection broke after the answer was complete.',
  'no-usage': 'The server reported no tokens.',
  'line-without-data': 'A line of JSON had no "data:" before it, and was read as an event.',
  'events-joined': 'Several lines were one event, and were joined.',
  'event-passed-over': 'An event was no part of the answer, and was passed over.',
  'start-missing': 'A part of the answer began without its first event.',
  'no-finish-reason': 'The server gave no reason for the end.',
  'finish-reason-read': 'The reason for the end was written in another way.',
  'calls-despite-reason': 'The reason for the end names no calls, and there are some: they run.',
  'choice-by-index': 'The choice was found by its index.',
  'object-for-list': 'One object stood where a list belongs.',
  'message-beside-choice': 'The message stood beside its choice, not in it.',
  'text-again': 'Text came a second time, and was read once.',
  'call-by-order': 'A fragment without an index was put to its call by its order.',
  'call-by-name': 'A fragment was put to its call by the name.',
  'call-again': 'A call came a second time, and was read once.',
  'call-in-content': 'A call stood among the parts of the content.',
  'old-function-call': 'The call was written in the old form, function_call.',
  'id-missing': 'A call had no id, and was given one.',
  'name-in-pieces': 'The name of a tool came in pieces, and was joined.',
  'name-cleaned': 'The name of a tool had something around it that was removed.',
  'arguments-as-object': 'The arguments came as an object, not as text.',
  'arguments-elsewhere': 'The arguments stood in another field.',
  'arguments-empty': 'The arguments were empty, and were read as {}.',
  'arguments-in-string': 'The arguments were text within text, and were unpacked.',
  'arguments-twice': 'The arguments came a second time, and were read once.',
}

/** Returns the sentence of a note. Codes of newer versions have none. */
export function sentenceOfNote(code: string): string {
  return Object.hasOwn(noteSentences, code) ? noteSentences[code as WireNoteCode] : ''
}
