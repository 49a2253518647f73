import { eventStream } from '../../answer.js'
import { oslo, ranOslo } from '../../cases/oslo.js'
import { callFails, requestFails, said } from '../../expectation.js'
import { saveNote } from '../../tool-shapes.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  addsInput,
  call,
  callBlock,
  closes,
  ends,
  event,
  opens,
  replies,
  says,
  starts,
  stop,
  streamed,
  text,
  textBlock,
} from '../message-events.js'
import { messagesWire } from '../messages-wire.js'

const wireCase = inArea('finish', messagesWire)
const reasons = 'https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons'
const retryable = { retryable: true }
const cutOff = requestFails('truncated', retryable)
const note = { name: 'save_note' }
const refusal = { type: 'refusal', category: 'cyber', explanation: 'This could cause harm.' }
const refuses = event('message_delta', {
  delta: { stop_reason: 'refusal', stop_sequence: null, stop_details: refusal },
  usage: { output_tokens: 5 },
})

/** How a reply ends: nothing runs before `message_stop`, or a whole body. */
export const finishing: readonly WireCase[] = [
  wireCase('m55', 'the stream ends after a whole call, without a reason', {
    evidence: ['tbphp/gpt-load#736', 'looplj/axonhub#2000'],
    stream: [starts(), ...call(oslo)],
    expect: cutOff,
  }),
  wireCase('m56', 'the stream ends between the reason and message_stop', {
    evidence: ['charmbracelet/fantasy#245'],
    stream: [starts(), ...call(oslo), ends('tool_use')],
    expect: cutOff,
  }),
  wireCase('m57', 'the stream ends within arguments', {
    evidence: ['BerriAI/litellm#32159'],
    stream: [starts(), opens(callBlock()), addsInput('{"city":"Os')],
    expect: cutOff,
  }),
  wireCase('m58', 'the stream ends within a text', {
    evidence: ['QuantumNous/new-api#5870', 'SamSaffron/term-llm#955'],
    stream: [starts(), opens(textBlock), says('It sn')],
    notes: ['no-finish-reason'],
    expect: [said('It sn', { incomplete: true }), cutOff],
  }),
  wireCase('m59', 'the connection breaks within a text', {
    evidence: ['SamSaffron/term-llm#955'],
    stream: eventStream([starts(), opens(textBlock), says('It sn')], { end: 'reset' }),
    expect: requestFails(['truncated', 'network'], retryable),
  }),
  wireCase('m60', 'the connection breaks after a whole call', {
    evidence: ['BerriAI/litellm#32159'],
    stream: eventStream([starts(), ...call(oslo), ends('tool_use')], { end: 'reset' }),
    expect: requestFails(['truncated', 'network'], retryable),
  }),
  wireCase('m61', 'the stream ends after its first event', {
    evidence: ['anthropics/claude-code#486'],
    stream: [starts()],
    expect: [requestFails(['invalid_response', 'truncated'], retryable), said('', { incomplete: true })],
  }),
  wireCase('m62', 'the token limit cuts the arguments', {
    evidence: ['pydantic/pydantic-ai#3118', 'anthropics/anthropic-sdk-python#794'],
    question: 'Save a long note',
    tools: [saveNote],
    stream: streamed(
      [opens(callBlock({}, note)), addsInput('{"title":"plan","body":"fi'), closes()],
      'max_tokens',
    ),
    expect: callFails('truncated'),
  }),
  wireCase('m63', 'the token limit cuts a call before its arguments, in a plain message', {
    evidence: ['mattmezza/humux#77', 'deepset-ai/haystack-core-integrations#3982'],
    question: 'Save a long note',
    tools: [{ ...saveNote, parameters: { type: 'object', properties: {} } }],
    plain: replies([callBlock({}, note)], 'max_tokens'),
    expect: callFails('truncated'),
  }),
  wireCase('m64', 'the token limit cuts a text', {
    evidence: [reasons, 'crewAIInc/crewAI#5717'],
    stream: streamed(text('It snows and'), 'max_tokens'),
    expect: said('It snows and', { incomplete: true }),
  }),
  wireCase('m65', 'the context window cuts a text', {
    evidence: [reasons, 'turnstonelabs/turnstone#1162', 'earendil-works/pi#1869'],
    stream: streamed(text('It snows and'), 'model_context_window_exceeded'),
    expect: requestFails('context_length_exceeded', { retryable: false }),
  }),
  wireCase('m66', 'the context window cuts a call', {
    evidence: [reasons],
    stream: streamed(
      [opens(callBlock()), addsInput('{"city":"Oslo"}'), closes()],
      'model_context_window_exceeded',
    ),
    expect: requestFails('context_length_exceeded', { retryable: false }),
  }),
  wireCase('m67', 'the model refuses before any text', {
    evidence: ['tailcallhq/forgecode#3640', 'earendil-works/pi#5666', 'NousResearch/hermes-agent#43084'],
    stream: [starts(), refuses, stop],
    expect: { calls: [], refusal: 'This could cause harm.' },
  }),
  wireCase('m68', 'the model refuses within a text', {
    evidence: [
      'https://platform.claude.com/docs/en/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals',
    ],
    stream: [starts(), ...text('To do so'), refuses, stop],
    expect: { calls: [], refusal: 'This could cause harm.' },
  }),
  wireCase('m69', 'the model refuses after a call began', {
    evidence: ['vercel/ai#8412', reasons],
    stream: [starts(), opens(callBlock()), addsInput('{"city":"Oslo"}'), closes(), refuses, stop],
    expect: { calls: [], refusal: 'This could cause harm.' },
  }),
  wireCase('m70', 'a refusal in a plain message has no explanation', {
    evidence: ['Oaklight/llm-rosetta#432', 'brightwave-inc/tidebreak#555'],
    plain: replies([{ type: 'text', text: 'I will not.' }], 'refusal', {
      stop_details: { type: 'refusal', category: null, explanation: null },
    }),
    expect: { calls: [], refusal: 'I will not.' },
  }),
  wireCase('m71', 'a stop sequence ends the text', {
    evidence: [reasons],
    stream: streamed(text('It snows'), 'stop_sequence'),
    expect: said('It snows'),
  }),
  wireCase('m72', 'the reason is not known', {
    evidence: ['derived: reasons were added in each year'],
    stream: streamed(text('It snows'), 'compaction'),
    expect: said('It snows'),
  }),
  wireCase('m73', 'the reason of a call is that of a text', {
    evidence: ['open-octo/octo-agent#647', 'maximhq/bifrost#4900', 'can1357/oh-my-pi#12224'],
    stream: streamed(call(oslo), 'end_turn'),
    notes: ['calls-despite-reason'],
    expect: ranOslo,
  }),
  wireCase('m74', 'the reason is a call, and there is none', {
    evidence: ['earendil-works/pi#9681', 'XiaomiMiMo/MiMo#63'],
    stream: streamed([], 'tool_use'),
    expect: requestFails('invalid_response', retryable),
  }),
  wireCase('m75', 'the socket stays open after message_stop', {
    evidence: ['earendil-works/pi#5592'],
    stream: eventStream(streamed(call(oslo), 'tool_use'), { end: 'open' }),
    expect: ranOslo,
    timeLimitMs: 4000,
  }),
  wireCase('m76', '[DONE] comes after message_stop', {
    evidence: ['derived: gateways that translate chat completions'],
    stream: [...streamed(call(oslo), 'tool_use'), 'data: [DONE]\n\n'],
    expect: ranOslo,
  }),
  wireCase('m77', '[DONE] comes in place of message_stop', {
    evidence: ['looplj/axonhub#2000'],
    level: 'should',
    stream: [starts(), ...call(oslo), ends('tool_use'), 'data: [DONE]\n\n'],
    expect: [ranOslo, cutOff],
  }),
  wireCase('m78', 'another call comes after message_stop', {
    evidence: ['derived: nothing after the end is part of the reply'],
    level: 'should',
    stream: [...streamed(text('Snow.')), ...call(oslo, 1)],
    expect: said('Snow.'),
  }),
  wireCase('m79', 'a plain message has no reason', {
    evidence: ['zts212653/clowder-ai#1128'],
    level: 'should',
    plain: replies([callBlock({ city: 'Oslo' })], null),
    notes: ['no-finish-reason'],
    expect: ranOslo,
  }),
]
