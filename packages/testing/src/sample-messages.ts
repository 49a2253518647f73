import type { Message, UserMessage } from '@capstan/core'

/** A message that can be told from others. */
export function say(content: string): UserMessage {
  return { role: 'user', content }
}

/** Several of them. */
export function sayAll(count: number, about: string): UserMessage[] {
  return Array.from({ length: count }, (_, at) => say(`${about} ${at}`))
}

/** One of each kind, with fields of a server's own. */
export const everyKind: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Grüße, 世界 👩‍👩‍👧', cache: { ttl: 3 } }] },
  {
    role: 'assistant',
    content: null,
    reasoning_content: '…',
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'look_up', arguments: '{"__proto__": {"q": "\\"\\n\\u0000\\""}, "n": 1.50}' },
        index: 0,
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '{"found":[]}\r\n\u2028' },
  { role: 'assistant', content: '', refusal: null },
]

/** Texts that stores have lost before: they are names of files, keys or fields, or nearly the same. */
export const oddIds: readonly string[] = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '.',
  '..',
  '../escape',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'a:b',
  'a::b',
  'a b',
  ' a b',
  'a%2Fb',
  'a?b=c',
  'a.jsonl',
  'a',
  'A',
  'CON',
  '*',
  '$',
  '-',
  "'; drop table sessions; --",
  '\u00e9',
  'e\u0301',
  '世界',
  '👩‍👩‍👧',
  '\u2028',
  'x'.repeat(200),
  `${'x'.repeat(199)}y`,
  '世'.repeat(200),
]

/** Texts that are no id; the last is half a character. */
export const noIds: readonly string[] = ['', 'x'.repeat(201), 'a\0b', 'a\nb', '\u007f', '\u0085', 'a\ud83d']
