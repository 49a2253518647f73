import { eventStream, json } from '../../answer.js'
import { oslo, ranOslo } from '../../cases/oslo.js'
import { callFails, ran, requestFails, said } from '../../expectation.js'
import { getTime, storeData } from '../../tool-shapes.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  call,
  callBlock,
  ends,
  event,
  message,
  opens,
  replies,
  says,
  starts,
  stop,
  streamed,
  text,
} from '../message-events.js'
import { messagesWire } from '../messages-wire.js'

const shaped = inArea('shape', messagesWire)
const args = inArea('arguments', messagesWire)
const named = inArea('names', messagesWire)
const snow = [{ type: 'text', text: 'Snow.' }]

/** Forms of whole replies, of arguments, names and ids. */
export const shape: readonly WireCase[] = [
  shaped('m81', 'a plain message has text and a call', {
    evidence: ['https://platform.claude.com/docs/en/api/messages'],
    plain: replies([...snow, callBlock({ city: 'Oslo' })], 'tool_use'),
    expect: { ...ranOslo, text: 'Snow.' },
  }),
  shaped('m82', 'the content is a text', {
    evidence: ['derived: requests may have a text in place of blocks'],
    level: 'should',
    plain: replies('Snow.'),
    notes: ['object-for-list'],
    expect: said('Snow.'),
  }),
  shaped('m83', 'a message has fields that are not known', {
    evidence: ['@anthropic-ai/sdk 1.13: container, diagnostics, stop_details'],
    plain: replies(snow, 'end_turn', {
      container: null,
      diagnostics: null,
      context_management: { applied_edits: [] },
    }),
    expect: said('Snow.'),
  }),
  shaped('m84', 'a stream is requested, and a plain message comes', {
    evidence: ['derived: servers without streams'],
    stream: replies([callBlock({ city: 'Oslo' })], 'tool_use'),
    notes: ['body-for-stream'],
    expect: ranOslo,
  }),
  shaped('m85', 'a plain message is requested, and a stream comes', {
    evidence: ['ShouZhuo0413/codebuddy2api#11'],
    plain: eventStream(streamed(call(oslo), 'tool_use')),
    notes: ['stream-for-body'],
    expect: ranOslo,
  }),
  shaped('m86', 'the whole message is one event', {
    evidence: ['derived: servers without streams'],
    level: 'should',
    stream: [event('message', message(snow))],
    notes: ['body-for-stream'],
    expect: said('Snow.'),
  }),
  shaped('m87', 'the server speaks chat completions', {
    evidence: ['heyhuynhgiabuu/proxypal#19'],
    plain: json(200, {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Snow.' }, finish_reason: 'stop' }],
    }),
    expect: requestFails('invalid_response', { retryable: false, mentions: ['chatModel'] }),
  }),
  shaped('m88', 'the stream is of chat completions', {
    evidence: ['heyhuynhgiabuu/proxypal#19'],
    stream: [
      'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Snow."}}]}\n\n',
      'data: [DONE]\n\n',
    ],
    expect: requestFails('invalid_response', { mentions: ['chatModel'] }),
  }),
  shaped('m89', 'a body has no content', {
    evidence: ['derived: a body of another interface'],
    plain: json(200, { id: 'msg_1', type: 'message', role: 'assistant' }),
    expect: requestFails('invalid_response', { retryable: true }),
  }),
  shaped('m90', 'no event has usage', {
    evidence: ['ithtelab/workbuddy-manager#39'],
    stream: [starts({ usage: undefined }), ...text('Snow.'), ends('end_turn', null), stop],
    expect: said('Snow.'),
  }),
  shaped('m91', 'events have no names', {
    evidence: ['derived: gateways that drop the event line'],
    stream: streamed(call(oslo), 'tool_use').map((one) => one.replace(/^event: .*\n/, '')),
    expect: ranOslo,
  }),
  shaped('m92', 'an event has a type that is not known', {
    evidence: [
      'https://platform.claude.com/docs/en/build-with-claude/streaming: new event types may be added',
    ],
    stream: streamed(
      [event('content_block_progress', { index: 0, message: 'half' }), ...call(oslo)],
      'tool_use',
    ),
    notes: ['event-passed-over'],
    expect: ranOslo,
  }),
  shaped('m93', 'a delta has a type that is not known', {
    evidence: ['https://platform.claude.com/docs/en/build-with-claude/streaming'],
    stream: streamed([
      opens({ type: 'text', text: '' }),
      event('content_block_delta', { index: 0, delta: { type: 'mood_delta', mood: 'calm' } }),
      says('Snow.'),
    ]),
    expect: said('Snow.'),
  }),
  args('m94', 'the input of a plain call is a text with JSON', {
    evidence: ['anthropics/anthropic-sdk-python#804', 'nielspeter/claude-code-proxy#13'],
    level: 'should',
    plain: replies([callBlock(oslo)], 'tool_use'),
    expect: ranOslo,
  }),
  args('m95', 'the input of a plain call is null', {
    evidence: ['bigduu/Bamboo-agent#359'],
    level: 'should',
    question: 'What time is it?',
    tools: [getTime],
    plain: replies([callBlock(null, { name: 'get_time' })], 'tool_use'),
    expect: ran('get_time', {}),
  }),
  args('m96', 'the input is a list', {
    evidence: ['we-promise/sure#1983'],
    stream: streamed(call('["Oslo"]'), 'tool_use'),
    expect: callFails('invalid_arguments'),
  }),
  args('m97', 'a field is named __proto__', {
    evidence: ['derived: names of fields are the model’s'],
    question: 'Store it',
    tools: [storeData],
    stream: streamed(call('{"data":{"__proto__":{"polluted":true}}}', 0, { name: 'store' }), 'tool_use'),
    expect: ran('store', JSON.parse('{"data":{"__proto__":{"polluted":true}}}')),
  }),
  args('m98', 'the arguments have half of a surrogate pair', {
    evidence: ['derived: models cut characters'],
    stream: streamed(call('{"city":"Oslo\\ud83d"}'), 'tool_use'),
    expect: [
      ran('get_weather', { city: 'Oslo\ud83d' }, { wellFormed: true }),
      ran('get_weather', { city: 'Oslo\ufffd' }, { wellFormed: true }),
      callFails('invalid_arguments'),
    ],
  }),
  named('m99', 'a call has the name of no tool', {
    evidence: ['derived: models invent tools'],
    stream: streamed(call(oslo, 0, { name: 'get_forecast' }), 'tool_use'),
    expect: callFails('unknown_tool', { mentions: ['get_forecast'] }),
  }),
  named('n01', 'a call has no id', {
    evidence: ['BerriAI/litellm#15884'],
    level: 'should',
    stream: streamed(call(oslo, 0, { id: undefined }), 'tool_use'),
    notes: ['id-missing'],
    expect: ranOslo,
  }),
  named('n02', 'a call has no name', {
    evidence: ['BerriAI/litellm#15884'],
    stream: streamed(call(oslo, 0, { name: undefined }), 'tool_use'),
    expect: callFails(['unknown_tool', 'invalid_arguments']),
  }),
  named('n03', 'an id has characters that the interface does not take', {
    evidence: ['maximhq/bifrost#5097', 'HKUDS/nanobot#4356', 'screenpipe/screenpipe#3252'],
    level: 'should',
    stream: streamed(call(oslo, 0, { id: 'functions.get_weather:0' }), 'tool_use'),
    expect: { ...ranOslo, echo: { 'tool_calls.0.id': 'F2AlbrjuJ' } },
  }),
]
