import { eventStream, json, splitEvery, text } from '../../answer.js'
import { oslo, ranOslo } from '../../cases/oslo.js'
import { requestFails, said } from '../../expectation.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  added,
  adds,
  callItem,
  completed,
  event,
  message,
  messageOf,
  replies,
  response,
  start,
  streamed,
  streamedCall,
  streamedMessage,
} from '../response-events.js'
import { responsesWire } from '../responses-wire.js'
import { derived, spec } from './evidence.js'

const wireCase = inArea('framing', responsesWire)
const call = streamed(streamedCall(oslo), [callItem(oslo)])
const whole = response([callItem(oslo)])
const unicode = 'Sol 🌦️ på Ærø'

/** How the events and the bodies are written. */
export const framing: readonly WireCase[] = [
  wireCase('rm01', 'events that keep the connection alive', {
    evidence: ['openai/openai-node#1964', 'openai/openai-java#767', 'openai-php/client#732'],
    stream: call.flatMap((one) => [one, event('keepalive')]),
    expect: ranOslo,
  }),
  wireCase('rm02', 'other events that keep the connection alive', {
    evidence: ['OpenRouterTeam/python-sdk#266', 'openai-php/client#770', 'Menci/Floway#324'],
    stream: call.flatMap((one) => [one, event('response.keep_alive'), event('ping'), ': OPENROUTER\n\n']),
    expect: ranOslo,
  }),
  wireCase('rm03', 'events of types that nobody knows', {
    evidence: [derived('new types of events are added without notice'), 'openai/openai-node#1965'],
    stream: call.flatMap((one) => [
      one,
      event('response.dream.delta', { output_index: 7, delta: 'zzz' }),
      event('codex.rate_limits', { message: 'fine' }),
    ]),
    notes: ['event-passed-over'],
    expect: ranOslo,
  }),
  wireCase('rm04', 'pieces have random text beside them that hides their lengths', {
    evidence: ['vllm-project/vllm#23409', spec('ResponseCreateParams.StreamOptions')],
    stream: [
      start,
      added(callItem('')),
      adds(oslo, { obfuscation: 'x8Kd02mQ' }),
      completed([callItem(oslo)], { obfuscation: 'a' }),
    ],
    expect: ranOslo,
  }),
  wireCase('rm05', 'sequence numbers are missing, and repeated', {
    evidence: ['router-for-me/CLIProxyAPI#4683'],
    stream: call.map((one) => one.replace('"sequence_number":1,', '')),
    expect: ranOslo,
  }),
  wireCase('rm06', 'the stream comes byte by byte', {
    evidence: [derived('c-cases of chat completions')],
    stream: splitEvery(1, eventStream(streamed(streamedMessage(unicode), [message(unicode)]))),
    expect: said(unicode),
  }),
  wireCase('rm07', 'the lines end with CRLF', {
    evidence: [derived('proxies rewrite line ends')],
    stream: call.map((one) => one.replaceAll('\n', '\r\n')),
    expect: ranOslo,
  }),
  wireCase('rm08', 'the data of an event is on several lines', {
    evidence: ['https://html.spec.whatwg.org/multipage/server-sent-events.html'],
    stream: [start, `event: response.completed\n${dataLines(completedEvent())}\n\n`],
    expect: ranOslo,
  }),
  wireCase('rm09', 'the stream says that it is JSON', {
    evidence: [derived('m-cases of chat completions')],
    stream: { ...eventStream(call), headers: { 'content-type': 'application/json' } },
    expect: ranOslo,
  }),
  wireCase('rm10', 'a plain response says that it is a stream', {
    evidence: [derived('m-cases of chat completions')],
    plain: text(200, 'text/event-stream', JSON.stringify(whole)),
    expect: ranOslo,
  }),
  wireCase('rm11', 'white space before a plain response', {
    evidence: [derived('gateways keep connections alive with it')],
    plain: text(200, 'application/json', `\n \n${JSON.stringify(whole, undefined, 2)}\n`),
    expect: ranOslo,
  }),
  wireCase('rm12', 'a response of the least there can be', {
    evidence: [derived('s01 of chat completions'), 'OpenRouterTeam/typescript-agent#125'],
    plain: json(200, {
      output: [{ type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: oslo }],
    }),
    expect: ranOslo,
  }),
  wireCase('rm13', 'an empty output, and nothing is wrong', {
    evidence: ['BerriAI/litellm#32718', spec('Response')],
    level: 'should',
    plain: replies([]),
    retries: [1],
    expect: [{ calls: [], finalText: 'RECOVERED' }, requestFails('invalid_response')],
  }),
  wireCase('rm14', 'the output is missing from a plain response', {
    evidence: ['ENTERPILOT/GoModel#831', 'cloudflare/ai#63'],
    plain: json(200, { id: 'resp_1', object: 'response', status: 'completed' }),
    expect: requestFails('invalid_response', { retryable: true }),
  }),
  wireCase('rm15', 'a chat completion in place of a response', {
    evidence: ['router-for-me/CLIProxyAPI#2410', derived('a baseURL of another interface')],
    plain: json(200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Sunny.' }, finish_reason: 'stop' }],
    }),
    expect: requestFails('invalid_response', { mentions: ['baseURL'] }),
  }),
  wireCase('rm16', 'chunks of a chat completion in place of events', {
    evidence: [derived('rm15')],
    stream: [
      'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Sunny."}}]}\n\n',
      'data: [DONE]\n\n',
    ],
    expect: requestFails('invalid_response'),
  }),
  wireCase('rm17', 'a stream without an event', {
    evidence: ['gonka-ai/gonka#130'],
    stream: [],
    expect: requestFails(['invalid_response', 'truncated', 'network'], { retryable: true }),
  }),
  wireCase('rm18', 'a message whose content is a text', {
    evidence: [derived('local servers that copy chat completions')],
    level: 'should',
    plain: replies([messageOf('Sunny.')]),
    expect: [said('Sunny.'), requestFails('invalid_response')],
  }),
  wireCase('rm19', 'the response is within a record of its own', {
    evidence: [derived('gateways that wrap bodies in their last event')],
    level: 'should',
    plain: json(200, { type: 'response.completed', response: whole }),
    expect: [ranOslo, requestFails('invalid_response')],
  }),
]

function completedEvent(): string {
  return JSON.stringify(JSON.parse(completed([callItem(oslo)]).split('data: ')[1] ?? ''), undefined, 1)
}

function dataLines(data: string): string {
  return data
    .split('\n')
    .map((line) => `data: ${line}`)
    .join('\n')
}
