import { oslo, ranBoth, ranOslo, rome } from '../../cases/oslo.js'
import { callFails, ran, ranAll, requestFails, said } from '../../expectation.js'
import { getTime, saveNote } from '../../tool-shapes.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  addsInput,
  call,
  callBlock,
  closes,
  ends,
  opens,
  ping,
  replies,
  says,
  starts,
  stop,
  streamed,
  text,
  textBlock,
} from '../message-events.js'
import { messagesWire } from '../messages-wire.js'

const wireCase = inArea('assembly', messagesWire)
const streaming = 'https://platform.claude.com/docs/en/build-with-claude/streaming'
const second = { id: 'toolu_2' }
const unreadable = requestFails('invalid_response', { retryable: true })

/** How events become blocks, and blocks calls. */
export const assembly: readonly WireCase[] = [
  wireCase('m01', 'the arguments of a call come in fragments', {
    evidence: [streaming],
    stream: streamed(call(oslo), 'tool_use'),
    expect: ranOslo,
  }),
  wireCase('m02', 'two calls come one after the other', {
    evidence: [streaming, 'open-webui/open-webui#25963'],
    stream: streamed([...call(oslo), ...call(rome, 1, second)], 'tool_use'),
    expect: ranBoth,
  }),
  wireCase('m03', 'text comes before a call', {
    evidence: [streaming],
    stream: streamed([...text('I will look.'), ...call(oslo, 1)], 'tool_use'),
    expect: { ...ranOslo, text: 'I will look.', finalText: 'FINAL ANSWER' },
  }),
  wireCase('m04', 'a call without parameters has one empty fragment', {
    evidence: ['anthropics/anthropic-sdk-java#295', 'BerriAI/litellm#5063'],
    question: 'What time is it?',
    tools: [getTime],
    stream: streamed([opens(callBlock({}, { name: 'get_time' })), addsInput(''), closes()], 'tool_use'),
    expect: ran('get_time', {}),
  }),
  wireCase('m05', 'a call without parameters has no fragment', {
    evidence: ['langchain-ai/langchainjs#7943'],
    question: 'What time is it?',
    tools: [getTime],
    stream: streamed([opens(callBlock({}, { name: 'get_time' })), closes()], 'tool_use'),
    expect: ran('get_time', {}),
  }),
  wireCase('m06', 'the first event of a call has all arguments', {
    evidence: ['BerriAI/litellm#25836', 'derived: the input of the start is that of a whole block'],
    stream: streamed([opens(callBlock({ city: 'Oslo' })), closes()], 'tool_use'),
    expect: ranOslo,
  }),
  wireCase('m07', 'pings come between the fragments', {
    evidence: ['BerriAI/litellm#5063', streaming],
    stream: streamed(
      [opens(callBlock()), ping, addsInput('{"city":'), ping, addsInput('"Oslo"}'), closes()],
      'tool_use',
    ),
    expect: ranOslo,
  }),
  wireCase('m08', 'the fragments of two calls alternate', {
    evidence: ['headroomlabs-ai/headroom#2890', 'praxis-proxy/ai#266'],
    stream: streamed(
      [
        opens(callBlock()),
        opens(callBlock({}, second), 1),
        addsInput('{"city":', 0),
        addsInput('{"city":', 1),
        addsInput('"Rome"}', 1),
        addsInput('"Oslo"}', 0),
        closes(0),
        closes(1),
      ],
      'tool_use',
    ),
    expect: ranBoth,
  }),
  wireCase('m09', 'all blocks have the same index', {
    evidence: ['anthropics/anthropic-sdk-typescript#879'],
    level: 'should',
    stream: streamed([...text('I will look.'), ...call(oslo), ...call(rome, 0, second)], 'tool_use'),
    expect: { ...ranBoth, text: 'I will look.' },
  }),
  wireCase('m10', 'fragments have no index', {
    evidence: ['derived: gateways leave fields out that are 0'],
    level: 'should',
    stream: streamed(
      [opens(callBlock(), 'none'), addsInput('{"city":', 'none'), addsInput('"Oslo"}', 'none')],
      'tool_use',
    ),
    notes: ['call-by-order'],
    expect: ranOslo,
  }),
  wireCase('m11', 'the start of a call is sent twice', {
    evidence: ['derived: gateways replay events after a reconnection'],
    level: 'should',
    stream: streamed([opens(callBlock()), ...call(oslo)], 'tool_use'),
    notes: ['call-again'],
    expect: ranOslo,
  }),
  wireCase('m12', 'the start of the message is sent twice', {
    evidence: ['QuantumNous/new-api#1502'],
    level: 'should',
    stream: [starts(), starts(), ...call(oslo), ends('tool_use'), stop],
    notes: ['event-passed-over'],
    expect: ranOslo,
  }),
  wireCase('m13', 'another message starts before the first one ended', {
    evidence: ['QuantumNous/new-api#1502'],
    stream: [starts(), ...call(oslo), starts({ id: 'msg_2' }), ...call(rome), ends('tool_use'), stop],
    expect: unreadable,
  }),
  wireCase('m14', 'a text has no start', {
    evidence: ['BerriAI/litellm#24767', 'BerriAI/litellm#30115'],
    level: 'should',
    stream: streamed([says('Snow '), says('falls.')]),
    notes: ['start-missing'],
    expect: said('Snow falls.'),
  }),
  wireCase('m15', 'arguments name a block that never started', {
    evidence: ['Wei-Shaw/sub2api#4294'],
    stream: streamed([...call(oslo), addsInput('{"city":"Rome"}', 1)], 'tool_use'),
    expect: unreadable,
  }),
  wireCase('m16', 'no block is closed', {
    evidence: ['tbphp/gpt-load#736'],
    stream: streamed(
      [opens(textBlock), says('Looking.'), opens(callBlock(), 1), addsInput(oslo, 1)],
      'tool_use',
    ),
    expect: { ...ranOslo, text: 'Looking.' },
  }),
  wireCase('m17', 'text comes in the place of an open call', {
    evidence: ['sgl-project/sglang#24294'],
    level: 'should',
    stream: streamed(
      [opens(callBlock()), addsInput('{"city":'), says('\n'), addsInput('"Oslo"}'), closes()],
      'tool_use',
    ),
    notes: ['start-missing'],
    expect: ranOslo,
  }),
  wireCase('m18', 'the start of a text has no text', {
    evidence: ['BerriAI/litellm#28069'],
    stream: streamed([opens({ type: 'text' }), says('Snow.'), closes()]),
    expect: said('Snow.'),
  }),
  wireCase('m19', 'the start of a text has its beginning', {
    evidence: ['BerriAI/litellm#30024'],
    stream: streamed([opens({ type: 'text', text: 'Snow ' }), says('falls.'), closes()]),
    expect: said('Snow falls.'),
  }),
  wireCase('m20', 'the events begin without a start of the message', {
    evidence: ['heyhuynhgiabuu/proxypal#19'],
    level: 'should',
    stream: [...call(oslo), ends('tool_use'), stop],
    expect: ranOslo,
  }),
  wireCase('m21', 'the arguments are long', {
    evidence: ['mattmezza/humux#77'],
    question: 'Save a note',
    tools: [saveNote],
    stream: streamed(
      [
        opens(callBlock({}, { name: 'save_note' })),
        addsInput('{"title":"a","body":"'),
        ...Array.from({ length: 50 }, () => addsInput('long '.repeat(400))),
        addsInput('"}'),
        closes(),
      ],
      'tool_use',
    ),
    expect: { calls: [{ name: 'save_note', lengths: { title: 1, body: 100_000 } }] },
  }),
  wireCase('m22', 'eight calls come in one message', {
    evidence: ['mozilla-ai/any-llm#673'],
    stream: streamed(
      Array.from({ length: 8 }, (_, n) => call(`{"city":"C${n}"}`, n, { id: `toolu_${n}` })).flat(),
      'tool_use',
    ),
    expect: ranAll(Array.from({ length: 8 }, (_, n) => ['get_weather', { city: `C${n}` }] as const)),
  }),
  wireCase('m23', 'a plain message has each call twice', {
    evidence: ['rynfar/meridian#528'],
    level: 'should',
    plain: replies(
      [
        callBlock({ city: 'Oslo' }),
        callBlock({ city: 'Rome' }, second),
        callBlock({ city: 'Oslo' }),
        callBlock({ city: 'Rome' }, second),
      ],
      'tool_use',
    ),
    notes: ['call-again'],
    expect: ranBoth,
  }),
  wireCase('m24', 'two different calls have one id', {
    evidence: ['derived: ids of gateways count from 0 for each request'],
    stream: streamed([...call(oslo), ...call(rome, 1)], 'tool_use'),
    expect: ranBoth,
  }),
  wireCase('m25', 'a character is split over two fragments as escapes', {
    evidence: ['derived: fragments are cut anywhere'],
    stream: streamed(
      [opens(callBlock()), addsInput('{"city":"\\ud83d'), addsInput('\\ude00"}'), closes()],
      'tool_use',
    ),
    expect: ran('get_weather', { city: '😀' }, { wellFormed: true }),
  }),
  wireCase('m26', 'fragments of a call are no JSON', {
    evidence: ['anthropics/anthropic-sdk-python#804', 'vercel/ai#13657'],
    stream: streamed([opens(callBlock()), addsInput('{"city": """Oslo"""}'), closes()], 'tool_use'),
    expect: callFails('invalid_arguments'),
  }),
]
