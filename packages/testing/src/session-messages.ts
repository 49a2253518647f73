// Messages for the checks of session stores.

import type { Message, UserMessage } from '@capstan/core'

/** At least one message of each kind. Some have additional fields, as servers send them. */
export const messagesOfEveryKind: readonly Message[] = [
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

export function userMessage(content: string): UserMessage {
  return { role: 'user', content }
}

/** Returns user messages, numbered from 0. */
export function userMessages(count: number, about: string): UserMessage[] {
  return Array.from({ length: count }, (_, at) => userMessage(`${about} ${at}`))
}
