import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cases } from '../../../../../scripts/cases.mjs'
import type { AssistantMessage } from '../../types/message.js'
import { type Block, toReplyMessage, writeReplyBlocks } from './blocks.js'

const form = { server: 'here m' }
const written = (message: AssistantMessage, server = form) =>
  writeReplyBlocks(message, server).map((block) => JSON.parse(block))
const marked = (blocks: readonly Block[]): AssistantMessage => ({
  ...toReplyMessage(blocks).message,
  server: form.server,
})

const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
const text = { type: 'text', text: 'Snow.' }
const call = { type: 'tool_use', id: 'a', name: 'add', input: { a: 1 } }
const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } }
const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ url: 'https://a.test' }] }

test('text and calls alone need no blocks', () => {
  const message = marked([text, call])
  expect(message).not.toHaveProperty('message_blocks')
  expect(written(message)).toEqual([text, call])
})

test('fields that every call has are no further fields', () => {
  const { message } = toReplyMessage([{ ...call, caller: { type: 'direct' }, toolset_name: null }])
  expect(message).not.toHaveProperty('message_blocks')
})

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((one) => one.trim() !== '')
const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  words.map((one) => ({ type: 'text', text: one.toWellFormed() })),
  fc.record({
    type: fc.constant('thinking'),
    thinking: fc.string({ unit: 'grapheme', maxLength: 12 }).map((one) => one.toWellFormed()),
    signature: fc.base64String({ minLength: 4 }),
  }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.base64String({ minLength: 4 }) }),
  fc.record({
    type: fc.constant('tool_use'),
    id: fc.uuid(),
    name: fc.constant('add'),
    input: fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((key) => key !== '__proto__'),
      fc.integer(),
    ),
  }),
  fc.record({
    type: fc.constant('server_tool_use'),
    id: fc.uuid(),
    name: fc.constant('web_search'),
    input: fc.record({ query: words }),
  }),
)

test('blocks come back as they came, in their order', () => {
  fc.assert(
    fc.property(fc.array(anyBlock, { minLength: 1, maxLength: 8 }), (blocks) => {
      const message = JSON.parse(JSON.stringify(marked(blocks)))
      const isJoined = !('message_blocks' in message)
      const sent = written(message)
      // Texts in a row are one text where the message holds them in full.
      if (isJoined) expect(toReplyMessage(sent).message).toEqual(toReplyMessage(blocks).message)
      else expect(sent).toEqual(blocks)
    }),
    { numRuns: cases(500, 100) },
  )
})

test('another server or model gets text and calls', () => {
  const message = marked([thinking, text, search, found, call])
  expect(written(message, { server: 'here other' })).toEqual([text, call])
  expect(written({ role: 'assistant', content: null, refusal: 'No.' })).toEqual([
    { type: 'text', text: 'No.' },
  ])
})

describe('a message that was changed', () => {
  test('is sent with its new text alone', () => {
    const message = {
      ...marked([text, thinking, { type: 'text', text: ' More.' }, call]),
      content: 'Rain falls today.',
    }
    expect(written(message)).toEqual([{ type: 'text', text: 'Rain falls today.' }, thinking, call])
  })

  test('is sent without thinking that was changed: its signature is wrong', () => {
    expect(written({ ...marked([thinking, call]), reasoning_content: 'Changed' })).toEqual([call])
  })

  test('is sent with its new calls', () => {
    const other = { id: 'b', type: 'function' as const, function: { name: 'add', arguments: '{}' } }
    const message = { ...marked([thinking, call]), tool_calls: [other, { ...other, id: 'c' }] }
    expect(written(message).map(({ id }) => id)).toEqual([undefined, 'b', 'c'])
    expect(written({ ...message, tool_calls: [] })).toEqual([thinking])
  })

  test('is sent without a search whose file became an artifact', () => {
    const fetched = {
      type: 'web_fetch_tool_result',
      tool_use_id: 's',
      content: { content: { type: 'document' } },
    }
    expect(written(marked([search, fetched, text]))).toEqual([text])
  })
})

test('no text of the message is in its blocks a second time', () => {
  expect(JSON.stringify(marked([thinking, text, call]).message_blocks)).not.toMatch(/Hm|Snow|add/)
})

test('hosted calls have their results, and sources their places in the text', () => {
  const cited = {
    ...{ type: 'text', text: 'It snows.' },
    citations: [
      { type: 'web_search_result_location', url: 'https://a.test', title: 'A', cited_text: 'snow' },
      { type: 'page_location', document_title: 'B', cited_text: 'falls', document_index: 0 },
    ],
  }
  const failed = { ...found, tool_use_id: 't', content: { type: 'web_search_tool_result_error' } }
  const { hostedCalls, sources } = toReplyMessage([
    search,
    found,
    { ...search, id: 't' },
    failed,
    { ...search, id: 'u' },
    text,
    cited,
  ])
  expect(hostedCalls).toEqual([
    { type: 'web_search', id: 's', status: 'completed', details: { ...search, result: found.content } },
    {
      type: 'web_search',
      id: 't',
      status: 'failed',
      details: { ...search, id: 't', result: failed.content },
    },
    { type: 'web_search', id: 'u', status: 'in_progress', details: { ...search, id: 'u' } },
  ])
  expect(sources).toEqual([
    { url: 'https://a.test', title: 'A', text: 'snow', start: 5, end: 14 },
    { title: 'B', text: 'falls', start: 5, end: 14 },
  ])
})

test('the details of a hosted call have no long result', () => {
  const long = { ...found, content: ['x'.repeat(100_000)] }
  expect(toReplyMessage([search, long]).hostedCalls?.[0]?.details).toMatchObject({ result: null })
})
