import { eventStream } from '../../answer.js'
import { oslo, ranOslo } from '../../cases/oslo.js'
import { done } from '../../chunk.js'
import { callFails, requestFails, said } from '../../expectation.js'
import { saveNote } from '../../tool-shapes.js'
import { inArea, type WireCase } from '../../wire-case.js'
import {
  added,
  adds,
  callItem,
  completed,
  ends,
  event,
  failed,
  incomplete,
  message,
  messageOf,
  replies,
  response,
  says,
  start,
  streamed,
  streamedCall,
  streamedMessage,
} from '../response-events.js'
import { responsesWire } from '../responses-wire.js'
import { derived, spec } from './evidence.js'

const wireCase = inArea('finish', responsesWire)
const note = { name: 'save_note' }
const cutNote = '{"title":"plan","body":"fi'
const retryable = { retryable: true }
const disconnected = ['openai/codex#22472', 'ding113/claude-code-hub#938', 'caidaoli/ccLoad#59']
const cutCalls = ['OpenRouterTeam/typescript-agent#125', 'strands-agents/harness-sdk#4139']
const hidden = ['langchain-ai/langchain#39041', 'microsoft/agent-framework-go#546']

/** The ends of a stream: terminal events, none, and failures within. */
export const finishing: readonly WireCase[] = [
  wireCase('rf01', 'the stream ends cleanly after a whole call, without a terminal event', {
    evidence: disconnected,
    stream: [start, ...streamedCall(oslo)],
    expect: requestFails('truncated', retryable),
  }),
  wireCase('rf02', '[DONE] after a whole call is no terminal event', {
    evidence: ['bigduu/Bamboo-agent#405', ...disconnected],
    stream: [start, ...streamedCall(oslo), done],
    expect: requestFails('truncated', retryable),
  }),
  wireCase('rf03', '[DONE] follows the terminal event', {
    evidence: [derived('gateways that add the end mark of chat completions')],
    stream: [...streamed(streamedCall(oslo), [callItem(oslo)]), done],
    expect: ranOslo,
  }),
  wireCase('rf04', 'the connection breaks in the middle of the arguments', {
    evidence: disconnected,
    question: 'Save a note',
    tools: [saveNote],
    stream: eventStream([start, added(callItem('', note)), adds(cutNote)], { end: 'reset' }),
    expect: requestFails(['network', 'truncated'], retryable),
  }),
  wireCase('rf05', 'the connection breaks after a whole call', {
    evidence: disconnected,
    stream: eventStream([start, ...streamedCall(oslo)], { end: 'reset' }),
    expect: requestFails(['network', 'truncated'], retryable),
  }),
  wireCase('rf06', 'the connection breaks after the terminal event', {
    evidence: [derived('rf05')],
    stream: eventStream(streamed(streamedCall(oslo), [callItem(oslo)]), { end: 'reset' }),
    expect: ranOslo,
  }),
  wireCase('rf07', 'the socket stays open after the terminal event', {
    evidence: [derived('f01 of chat completions'), spec('ResponseCompletedEvent')],
    stream: eventStream(streamed(streamedCall(oslo), [callItem(oslo)]), { end: 'open' }),
    expect: ranOslo,
    timeLimitMs: 4000,
  }),
  wireCase('rf08', 'a text ends without a terminal event', {
    evidence: disconnected,
    stream: [start, ...streamedMessage('It is sun')],
    notes: ['no-finish-reason'],
    expect: [said('It is sun', { incomplete: true }), requestFails('truncated', retryable)],
  }),
  wireCase('rf09', 'the limit of tokens cuts a text', {
    evidence: [spec('ResponseIncompleteEvent'), 'apache/airflow#72150'],
    stream: [start, ...streamedMessage('It is sun'), incomplete('max_output_tokens', [message('It is sun')])],
    expect: said('It is sun', { incomplete: true }),
  }),
  wireCase('rf10', 'the limit of tokens cuts the arguments of a call', {
    evidence: cutCalls,
    question: 'Save a long note',
    tools: [saveNote],
    stream: [
      start,
      added(callItem('', note)),
      adds(cutNote),
      incomplete('max_output_tokens', [callItem(cutNote, { ...note, status: 'incomplete' })]),
    ],
    expect: callFails('truncated'),
  }),
  wireCase('rf11', 'the limit of tokens comes after a whole call', {
    evidence: cutCalls,
    level: 'should',
    stream: [start, ...streamedCall(oslo), incomplete('max_output_tokens', [callItem(oslo)])],
    expect: [callFails('truncated'), ranOslo],
  }),
  wireCase('rf12', 'a plain response is cut within the arguments', {
    evidence: ['OpenRouterTeam/typescript-agent#125'],
    question: 'Save a long note',
    tools: [saveNote],
    plain: replies([callItem(cutNote, { ...note, status: 'incomplete' })], {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    }),
    expect: callFails('truncated'),
  }),
  wireCase('rf13', 'a filter cuts a text', {
    evidence: [spec('Response.IncompleteDetails'), 'damianvtran/local-operator#187'],
    stream: [start, ...streamedMessage('It is '), incomplete('content_filter', [message('It is ')])],
    expect: said('It is ', { incomplete: true }),
  }),
  wireCase('rf14', 'a filter leaves nothing', {
    evidence: ['apache/airflow#72150'],
    plain: replies([], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }),
    expect: said('', { incomplete: true }),
  }),
  wireCase('rf15', 'the response is incomplete, without a reason', {
    evidence: [spec('Response.IncompleteDetails')],
    stream: [start, ...streamedMessage('It is '), incomplete(undefined, [message('It is ')])],
    expect: said('It is ', { incomplete: true }),
  }),
  wireCase('rf16', 'the response fails: an error of the server', {
    evidence: hidden,
    stream: [start, says('It is '), failed({ code: 'server_error', message: 'The model had an error.' })],
    expect: requestFails('api', { ...retryable, mentions: ['The model had an error'] }),
  }),
  wireCase('rf17', 'the response fails: too many requests', {
    evidence: ['earendil-works/pi#1458'],
    stream: [
      start,
      failed({ code: 'rate_limit_exceeded', message: 'Requests have exceeded token rate limit.' }),
    ],
    expect: requestFails('rate_limit', { ...retryable, mentions: ['token rate limit'] }),
  }),
  wireCase('rf18', 'the response fails: the request is to blame', {
    evidence: [spec('ResponseError')],
    stream: [start, failed({ code: 'invalid_prompt', message: 'The prompt was flagged.' })],
    expect: requestFails('invalid_request', { retryable: false, mentions: ['The prompt was flagged'] }),
  }),
  wireCase('rf19', 'the response fails: the history is too long', {
    evidence: ['Wei-Shaw/claude-relay-service#483', spec('ResponseError')],
    stream: [
      start,
      failed({ code: 'context_length_exceeded', message: 'Your input exceeds the context window.' }),
    ],
    expect: requestFails('context_length_exceeded', { retryable: false, mentions: ['context window'] }),
  }),
  wireCase('rf20', 'the response fails without an error', {
    evidence: ['langchain-ai/langchain#39178', 'weave-os/router#331'],
    stream: [start, ...streamedCall(oslo), failed(null)],
    expect: requestFails('api', retryable),
  }),
  wireCase('rf21', 'an event is an error, with its fields beside the type', {
    evidence: [spec('ResponseErrorEvent'), 'langchain-ai/langchain#39701'],
    stream: [
      start,
      ...streamedCall(oslo),
      event('error', { code: 'server_error', message: 'Something went wrong.', param: null }),
    ],
    expect: requestFails('api', { ...retryable, mentions: ['Something went wrong'] }),
  }),
  wireCase('rf22', 'an event is an error, with a record of its own', {
    evidence: ['Zoo-Code-Org/Zoo-Code#318', 'router-for-me/CLIProxyAPI#4683'],
    stream: [
      start,
      event('error', { error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'Slow down.' } }),
    ],
    expect: requestFails('rate_limit', { ...retryable, mentions: ['Slow down'] }),
  }),
  wireCase('rf23', 'an event is named an error and has no type', {
    evidence: ['router-for-me/CLIProxyAPI#4683'],
    stream: [start, 'event: error\ndata: {"message":"upstream is gone"}\n\n'],
    expect: requestFails('api', { ...retryable, mentions: ['upstream is gone'] }),
  }),
  wireCase('rf24', 'a plain response failed', {
    evidence: [spec('Response'), 'langchain-ai/langchain#39041'],
    plain: replies([], { status: 'failed', error: { code: 'server_error', message: 'No luck.' } }),
    expect: requestFails('api', { ...retryable, mentions: ['No luck'] }),
  }),
  wireCase('rf25', 'a plain response was cancelled', {
    evidence: [spec('Response')],
    plain: replies([callItem(oslo)], { status: 'cancelled' }),
    expect: requestFails('api'),
  }),
  wireCase('rf26', 'a plain response is not ready yet', {
    evidence: [spec('Response'), derived('a gateway that answers in the background')],
    plain: replies([], { status: 'queued' }),
    expect: requestFails('invalid_response'),
  }),
  wireCase('rf27', 'the overloaded server says so in its first event', {
    evidence: ['openai/codex#41895'],
    stream: [
      event('error', { error: { code: 'server_is_overloaded', message: 'Our servers are overloaded.' } }),
    ],
    retries: [0, 2],
    expect: requestFails('api', { ...retryable, mentions: ['overloaded'] }),
  }),
  wireCase('rf28', 'the hosted call of another server fails, the response does not', {
    evidence: [spec('ResponseMcpCallFailedEvent')],
    stream: streamed(
      [
        event('response.mcp_call.failed', { item_id: 'mcp_1', output_index: 0 }),
        ...streamedMessage('No.', 1),
      ],
      [message('No.')],
    ),
    expect: said('No.'),
  }),
  wireCase('rf29', 'events follow the terminal one', {
    evidence: [derived('what follows the end cannot change it')],
    level: 'should',
    stream: [
      ...streamed(streamedCall(oslo), [callItem(oslo)]),
      event('error', { code: 'server_error', message: 'late' }),
    ],
    expect: [ranOslo, requestFails('api')],
  }),
  wireCase('rf30', 'the last event is cut, in the middle of the terminal one', {
    evidence: disconnected,
    stream: [start, ...streamedCall(oslo), completed([callItem(oslo)]).slice(0, 200)],
    expect: requestFails('truncated', retryable),
  }),
  wireCase('rf31', 'a message has a status of its own that is incomplete, the response is complete', {
    evidence: ['jundot/omlx#2817', derived('the response says what holds')],
    plain: replies([messageOf([{ type: 'output_text', text: 'It is.' }], { status: 'incomplete' })]),
    expect: said('It is.'),
  }),
  wireCase('rf32', 'a stream is asked for, and a plain response comes', {
    evidence: ['open-webui/open-webui#27800', derived('s-cases of chat completions')],
    stream: replies([callItem(oslo)]),
    notes: ['body-for-stream'],
    expect: ranOslo,
  }),
  wireCase('rf33', 'a plain response is asked for, and a stream comes', {
    evidence: ['BerriAI/litellm#32724'],
    plain: eventStream(streamed(streamedCall(oslo), [])),
    notes: ['stream-for-body'],
    expect: ranOslo,
  }),
  wireCase('rf34', 'the stream has the whole response as its only event, without a type', {
    evidence: [derived('gateways that wrap a plain answer')],
    level: 'should',
    stream: [`data: ${JSON.stringify(response([callItem(oslo)]))}\n\n`],
    notes: ['body-for-stream'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  wireCase('rf35', 'an item is done twice, the second time without its arguments', {
    evidence: ['vllm-project/vllm#44608', derived('ra22')],
    level: 'should',
    stream: streamed([...streamedCall(oslo), ends(callItem(''))], []),
    expect: ranOslo,
  }),
]
