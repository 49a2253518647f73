import { expect, test } from 'vitest'
import { StreamReader } from '../features/reply-forms/stream-events.js'
import { MessagesBuilder } from './messages/reply.js'
import type { ReplyBuilder } from './protocol.js'
import { ResponseBuilder } from './responses/reply.js'

const options = { isTool: () => false, toFailure: () => expect.unreachable() }

/** Whether reading is over after each event. */
function doneAfter(builder: ReplyBuilder, events: readonly Record<string, unknown>[]): readonly boolean[] {
  const reader = new StreamReader(builder, options.toFailure)
  return events.map((event) => {
    reader.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    return reader.isDone
  })
}

test('a stream of the Messages interface is over at message_stop', () => {
  const events = [
    { type: 'message_start', message: { id: 'msg_1', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi.' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]
  expect(doneAfter(new MessagesBuilder({}), events)).toEqual([false, false, false, true])
})

test.each(['completed', 'incomplete'])('a stream of Responses is over at response.%s', (status) => {
  const item = { id: 'msg_1', type: 'message', content: [{ type: 'output_text', text: 'Hi.' }] }
  const events = [
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: `response.${status}`, response: { id: 'resp_1', status, output: [item] } },
  ]
  expect(doneAfter(new ResponseBuilder(options), events)).toEqual([false, false, true])
})
