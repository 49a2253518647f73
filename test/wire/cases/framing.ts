import { gzipSync } from 'node:zlib'
import { eventStream, json, splitEvery, text, withHeaders } from '../answer.js'
import { adds, callOf, chunk, done, event, finish, opens, says, start, usage } from '../chunk.js'
import { callsWith, completion } from '../completion.js'
import { ran, requestFails, said } from '../expectation.js'
import { getTime, saveNote } from '../tool-shapes.js'
import { inArea, type WireCase } from '../wire-case.js'
import { oslo, ranOslo } from './oslo.js'

const wireCase = inArea('framing')
const spec = 'https://html.spec.whatwg.org/multipage/server-sent-events.html'
const call = [start, opens('{"city":'), adds('"Oslo"}'), finish('tool_calls'), done]
const callBody = completion({ tool_calls: [callOf(oslo)] }, 'tool_calls')
const unreadable = requestFails('invalid_response', { retryable: true })
const gibberish = Uint8Array.from({ length: 600 }, (_, i) => (i * 97 + 131) % 256)

/** How bytes become events, and which of two forms an answer has. */
export const framing: readonly WireCase[] = [
  wireCase('e01', 'a byte order mark comes first', {
    evidence: [spec],
    stream: ['\ufeff', ...call],
    expect: ranOslo,
  }),
  wireCase('e02', 'comments stand before, between and inside events', {
    evidence: ['open-webui/open-webui#1773', 'maximhq/bifrost#5874', 'anomalyco/opencode#43618'],
    stream: [
      ': OPENROUTER PROCESSING\n\n',
      ':\n\n',
      start,
      ': keepalive\n',
      opens('{"city":'),
      ': heartbeat\n\n',
      adds('"Oslo"}'),
      finish('tool_calls'),
      ': end\n\n',
      done,
    ],
    expect: ranOslo,
  }),
  wireCase('e03', 'lines end with CRLF', {
    evidence: ['farion1231/cc-switch#1787', 'miruamel/xuan#194', 'vercel/ai#6200'],
    stream: call.map(withLineEnd('\r\n')),
    expect: ranOslo,
  }),
  wireCase('e04', 'an event is named `error`, after a call that looks complete', {
    evidence: ['octos-org/octos#13', 'mozilla-ai/any-llm#847'],
    stream: [
      start,
      opens(oslo),
      'event: error\ndata: {"error":"Stream error: Internal Network Failure"}\n\n',
    ],
    expect: requestFails('api', { retryable: true, mentions: ['Internal Network Failure'] }),
  }),
  wireCase('e05', 'an error stands in place of a chunk', {
    evidence: ['diegosouzapw/OmniRoute#8210', 'aaif-goose/goose#8027', 'langchain-ai/langchainjs#11579'],
    stream: [
      start,
      says('The wea'),
      event({
        error: { message: 'Provider returned error: worker limit reached', code: 502, type: 'server_error' },
      }),
      done,
    ],
    expect: requestFails('api', { retryable: true, mentions: ['worker limit reached'] }),
  }),
  wireCase('e06', 'events have ids, names, retry times and fields nobody knows', {
    evidence: ['SamSaffron/term-llm#487', spec],
    stream: [
      'retry: 3000\n\n',
      ...call.slice(0, -1).map((one, n) => `id: ${n}\nevent: message\n${one.trimEnd()}\nunknown: field\n\n`),
      `event: done\n${done}`,
    ],
    expect: ranOslo,
  }),
  wireCase('e07', 'a JSON body answers a request for a stream', {
    evidence: ['mnfst/llm-gateway#2716', 'decolua/9router#3301'],
    level: 'should',
    stream: json(200, callBody),
    notes: ['body-for-stream'],
    expect: [ranOslo, requestFails('invalid_response', { retryable: false })],
  }),
  wireCase('e08', 'the last line has no line end', {
    evidence: ['SamSaffron/term-llm#448', 'TencentCloud/TencentDB-Agent-Memory#988'],
    level: 'should',
    stream: [start, opens('{"city":'), adds('"Oslo"}'), finish('tool_calls').trimEnd()],
    expect: [ranOslo, requestFails('truncated', { retryable: true })],
  }),
  wireCase('e09', 'one event is cut, and the others would still make valid arguments', {
    evidence: ['SamSaffron/term-llm#448', 'james-6-23/codex2api#696', 'Wei-Shaw/sub2api#1471'],
    question: 'Save a note',
    tools: [saveNote],
    stream: [
      start,
      opens('{"title":"a",', { name: 'save_note' }),
      'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"argu\n\n',
      adds('"tags":["x"]}'),
      finish('tool_calls'),
      done,
    ],
    expect: unreadable,
  }),
  wireCase('e10', 'every byte is a write of its own', {
    evidence: ['agentclientprotocol/python-sdk#135', 'modelscope/ms-swift#10086'],
    question: 'Weather in Zürich / 東京?',
    stream: splitEvery(
      1,
      eventStream([start, opens('{"city":"Zürich 東京 😀"}'), finish('tool_calls'), done]),
    ),
    expect: ran('get_weather', { city: 'Zürich 東京 😀' }),
    timeLimitMs: 10_000,
  }),
  wireCase('e11', 'a write ends inside a character', {
    evidence: ['agentclientprotocol/python-sdk#135', 'kekzl/imp#1667'],
    question: 'Weather in 東京?',
    stream: cutInside('京', start + opens('{"city":"東京"}') + finish('tool_calls') + done),
    expect: ran('get_weather', { city: '東京' }),
  }),
  wireCase('e12', 'a stream is labelled as text', {
    evidence: ['mnfst/llm-gateway#2716', 'kaito-project/kaito#1880'],
    stream: text(200, 'text/plain', call.join('')),
    expect: ranOslo,
  }),
  wireCase('e13', 'a heartbeat is spliced into an event', {
    evidence: ['james-6-23/codex2api#696'],
    stream: [
      start,
      opens('{"city":'),
      spliced(adds('"Oslo"}'), ': keepalive\n\n'),
      finish('tool_calls'),
      done,
    ],
    expect: unreadable,
  }),
  wireCase('e14', 'the heartbeat is a bare time stamp', {
    evidence: ['missuo/FreeGPT35#29'],
    level: 'should',
    stream: [
      start,
      opens('{"city":'),
      'data: 2026-11-03T10:00:15Z\n\n',
      adds('"Oslo"}'),
      finish('tool_calls'),
      done,
    ],
    notes: ['event-passed-over'],
    expect: [unreadable, ranOslo],
  }),
  wireCase('e15', 'heartbeats are events without data', {
    evidence: ['netease-lcap/wave-agent#1326', 'caozhiyuan/copilot-api#88'],
    stream: [
      'data:\n\n',
      start,
      opens('{"city":'),
      'data: \n\n',
      'event: ping\ndata:\n\n',
      'data\n\n',
      adds('"Oslo"}'),
      finish('tool_calls'),
      done,
    ],
    notes: ['event-passed-over'],
    expect: ranOslo,
  }),
  wireCase('e16', 'heartbeats are JSON without choices', {
    evidence: ['Wei-Shaw/sub2api#7097', 'caozhiyuan/copilot-api#88'],
    stream: [
      start,
      opens('{"city":'),
      'event: ping\ndata: {"type":"ping"}\n\n',
      adds('"Oslo"}'),
      finish('tool_calls'),
      done,
    ],
    notes: ['event-passed-over'],
    expect: ranOslo,
  }),
  wireCase('e17', 'lines end with a lone CR', {
    evidence: [spec],
    stream: call.map(withLineEnd('\r')),
    expect: ranOslo,
  }),
  wireCase('e18', 'CR and LF come in different reads', {
    evidence: ['farion1231/cc-switch#1787', spec],
    stream: call
      .join('')
      .split('\n')
      .flatMap((line) => [`${line}\r`, { bytes: '\n', pauseMs: 2 }]),
    expect: ranOslo,
  }),
  wireCase('e19', 'three kinds of line end in one stream', {
    evidence: [spec],
    stream: call.map((one, n) => withLineEnd(['\n', '\r\n', '\r'][n % 3] ?? '\n')(one)),
    expect: ranOslo,
  }),
  wireCase('e20', 'the JSON of an event is spread over several data lines', {
    evidence: ['SamSaffron/term-llm#454', spec],
    stream: call.map((one) => one.replace('"choices":', '\ndata: "choices":\ndata:')),
    expect: ranOslo,
  }),
  wireCase('e21', 'no space follows `data:`', {
    evidence: ['openai/openai-python#498', 'dataelement/Clawith#106', 'SamSaffron/term-llm#487'],
    stream: call.map((one) => one.replace('data: ', 'data:')),
    expect: ranOslo,
  }),
  wireCase('e22', '[DONE] is the last line and has no line end', {
    evidence: ['SamSaffron/term-llm#448'],
    stream: [start, opens(oslo), done.trimEnd()],
    notes: ['no-finish-reason'],
    expect: [ranOslo, requestFails('truncated', { retryable: true })],
    level: 'should',
  }),
  wireCase('e23', 'white space follows [DONE]', {
    evidence: ['netease-lcap/wave-agent#1326'],
    stream: eventStream([start, opens(oslo), finish('tool_calls'), 'data: [DONE] \n\n'], { end: 'open' }),
    expect: ranOslo,
    timeLimitMs: 3000,
    level: 'should',
  }),
  wireCase('e24', 'a JSON body, in lines and labelled as a stream, answers a request for one', {
    evidence: ['decolua/9router#3492', 'kaito-project/kaito#1880'],
    level: 'should',
    stream: text(200, 'text/event-stream', JSON.stringify(callBody, null, 2)),
    notes: ['body-for-stream'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  wireCase('e25', 'a stream answers a plain request', {
    evidence: ['decolua/9router#3492', 'kaito-project/kaito#1880'],
    level: 'should',
    plain: eventStream(call),
    notes: ['stream-for-body'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  wireCase('e26', 'a stream labelled as JSON answers a plain request', {
    evidence: ['decolua/9router#3492'],
    level: 'should',
    plain: text(200, 'application/json', call.join('')),
    notes: ['stream-for-body'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  wireCase('e27', 'a JSON error with status 200 answers a request for a stream', {
    evidence: ['Aider-AI/aider#3550', 'diegosouzapw/OmniRoute#8210'],
    stream: json(200, { error: { message: 'No endpoints found for this model.', code: 404 } }),
    expect: requestFails('not_found', { mentions: ['No endpoints found'] }),
  }),
  wireCase('e28', 'the error is inside the choice', {
    evidence: ['OpenRouterTeam/openrouter-examples#67'],
    stream: [
      start,
      opens('{"city":'),
      chunk(
        { content: '' },
        { finish_reason: 'error', error: { code: 502, message: 'Upstream idle timeout' } },
      ),
      done,
    ],
    expect: requestFails('api', { retryable: true, mentions: ['Upstream idle timeout'] }),
  }),
  wireCase('e29', 'the error is inside the choice of a plain answer', {
    evidence: ['OpenRouterTeam/openrouter-examples#67'],
    plain: json(200, {
      ...completion({}),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '' },
          finish_reason: 'error',
          error: { code: 429, message: 'Upstream is busy' },
        },
      ],
    }),
    expect: requestFails('rate_limit', { retryable: true, mentions: ['Upstream is busy'] }),
  }),
  wireCase('e30', 'the first event of a stream is an error with a status of its own', {
    evidence: ['diegosouzapw/OmniRoute#8210', 'langchain-ai/langchainjs#11579'],
    stream: [event({ error: { message: 'Too many requests, slow down', code: '429' } }), done],
    expect: requestFails('rate_limit', { retryable: true, mentions: ['slow down'] }),
    retries: [0, 2],
  }),
  wireCase('e31', 'an event named `error` has a bare message', {
    evidence: ['octos-org/octos#13', 'mozilla-ai/any-llm#847'],
    stream: [start, says('It'), 'event: error\ndata: {"message":"Engine loop has died"}\n\n', done],
    expect: requestFails('api', { mentions: ['Engine loop has died'] }),
  }),
  wireCase('e32', 'an event named `error` is not JSON', {
    evidence: ['mozilla-ai/any-llm#847'],
    stream: [start, 'event: error\ndata: upstream connect error\n\n'],
    expect: requestFails(['api', 'invalid_response'], { mentions: ['upstream connect error'] }),
  }),
  wireCase('e33', 'a plain body is bytes of no text', {
    evidence: ['Pasta-Devs/Marinara-Engine#801'],
    plain: text(200, 'application/json', gibberish),
    notes: ['bytes-garbled'],
    expect: requestFails('invalid_response'),
  }),
  wireCase('e34', 'a stream is bytes of no text', {
    evidence: ['Helicone/helicone#4562'],
    stream: text(200, 'text/event-stream', gibberish),
    notes: ['bytes-garbled'],
    expect: requestFails(['invalid_response', 'truncated']),
  }),
  wireCase('e35', 'a plain body is compressed, although nobody asked for it', {
    evidence: ['Anionex/agent-vision-toolkit#36', 'Helicone/helicone#4562'],
    level: 'should',
    plain: withHeaders(text(200, 'application/json', gzipSync(JSON.stringify(callBody))), {
      'content-encoding': 'gzip',
    }),
    notes: ['compressed'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  wireCase('e36', 'a plain body is a mark and white space for a while, and then JSON', {
    evidence: ['jundot/omlx#2072', 'https://api-docs.deepseek.com/quick_start/rate_limit'],
    plain: {
      ...callsWith(oslo),
      writes: [
        { bytes: '\ufeff' },
        { bytes: '\n', pauseMs: 10, times: 3 },
        { bytes: ' ', pauseMs: 10 },
        { bytes: JSON.stringify(callBody) },
      ],
    },
    expect: ranOslo,
  }),
  wireCase('e37', 'a stream is lines of JSON without `data:`', {
    evidence: ['comet-ml/opik#5149', 'hackclub/ai#17', 'hyperonym/basaran#144'],
    level: 'should',
    stream: text(200, 'application/x-ndjson', call.map((one) => one.slice('data: '.length, -1)).join('')),
    expect: [requestFails('invalid_response'), ranOslo],
  }),
  wireCase('e38', 'the whole stream is one write', {
    evidence: ['the control for framing'],
    stream: [call.join('') + usage],
    expect: ranOslo,
  }),
  wireCase('e39', 'an event is cut by the clean end of the stream', {
    evidence: ['SamSaffron/term-llm#448', 'CommandCodeAI/command-code#785'],
    stream: [start, opens('{"city":'), adds('"Oslo"}').slice(0, -20)],
    expect: requestFails(['invalid_response', 'truncated'], { retryable: true }),
  }),
  wireCase('e40', 'lines end with CRLF and arrive three bytes at a time', {
    evidence: ['farion1231/cc-switch#1787', 'agentclientprotocol/python-sdk#135'],
    stream: splitEvery(3, eventStream(call.map(withLineEnd('\r\n')))),
    expect: ranOslo,
    timeLimitMs: 10_000,
  }),
  wireCase('e41', 'an empty line follows every line of a pretty-printed event', {
    evidence: ['SamSaffron/term-llm#454'],
    level: 'should',
    // Each line is an event of its own then, and none of them is JSON.
    stream: [start, 'data: {\n\ndata: "choices": []\n\ndata: }\n\n', says('Hi.'), finish('stop'), done],
    expect: [unreadable],
  }),
  wireCase('e42', 'an event is the word null, another a list', {
    evidence: ['meltylabs/chorus#64'],
    level: 'should',
    stream: [
      start,
      opens('{"city":'),
      'data: null\n\n',
      'data: []\n\n',
      adds('"Oslo"}'),
      finish('tool_calls'),
      done,
    ],
    notes: ['event-passed-over'],
    expect: [unreadable, ranOslo],
  }),
  wireCase('e43', 'the answer and its first bytes come late', {
    evidence: ['https://api-docs.deepseek.com/quick_start/rate_limit'],
    stream: [{ bytes: ': keep-alive\n\n', pauseMs: 200 }, { bytes: start, pauseMs: 200 }, ...call.slice(1)],
    expect: ranOslo,
  }),
  wireCase('e44', 'a text holds the words of the framing', {
    evidence: ['the control for framing'],
    stream: [start, says('data: [DONE]\n\n'), says('event: error\n'), finish('stop'), done],
    expect: said('data: [DONE]\n\nevent: error\n'),
  }),
  wireCase('e45', 'a stream is compressed, although nobody asked for it', {
    evidence: ['Helicone/helicone#4562'],
    level: 'should',
    stream: withHeaders(splitEvery(10, eventStream([gzipSync(call.join(''))])), {
      'content-encoding': 'gzip',
    }),
    notes: ['compressed'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  ...[
    ['a byte order mark', '\ufeffdata: '],
    ['a space', ' data: '],
    ['a capital', 'Data: '],
  ].map(([what, field = ''], n) =>
    wireCase(
      `e${46 + n}`,
      `${what} stands before the data, and without them the others would still make arguments`,
      {
        evidence: [spec, 'derived: nothing that a server says is lost silently'],
        question: 'Save a note',
        tools: [saveNote],
        stream: [
          start,
          opens('{"title":"do not ', { name: 'save_note' }),
          adds('ever ').replace('data: ', field),
          adds('forget"}'),
          finish('tool_calls'),
          done,
        ],
        notes: ['line-without-data'],
        expect: [ran('save_note', { title: 'do not ever forget' }), unreadable],
      },
    ),
  ),
  wireCase('e49', 'a chunk is an error object, and the stream ends as if well', {
    evidence: ['openclaw/openclaw#57672', 'langchain-ai/langchainjs#11579'],
    stream: [
      start,
      says('The wea'),
      event({ object: 'error', message: 'CUDA out of memory', type: 'InternalServerError', code: 500 }),
      done,
    ],
    expect: requestFails('api', { retryable: true, mentions: ['CUDA out of memory'] }),
  }),
  wireCase('e50', 'a chunk of nothing but a complaint comes after the head of a call', {
    evidence: ['openclaw/openclaw#57672', 'mozilla-ai/any-llm#847'],
    question: 'What time is it?',
    tools: [getTime],
    stream: [start, opens('', { name: 'get_time' }), event({ detail: 'worker died' }), done],
    expect: requestFails('api', { retryable: true, mentions: ['worker died'] }),
  }),
  wireCase('e51', 'an event named `error` has no data', {
    evidence: ['octos-org/octos#13', 'mozilla-ai/any-llm#847'],
    stream: [start, opens(oslo), 'event: error\n\n', done],
    expect: requestFails(['api', 'invalid_response', 'truncated'], { retryable: true }),
  }),
  wireCase('e52', 'the error is inside the delta, and the finish reason is `stop`', {
    evidence: ['OpenRouterTeam/openrouter-examples#67', 'langchain-ai/langchainjs#11579'],
    stream: [
      start,
      chunk({ content: '', error: { message: 'Overloaded engine', code: 503 } }),
      finish('stop'),
      done,
    ],
    expect: requestFails('api', { retryable: true, mentions: ['Overloaded engine'] }),
  }),
  wireCase('e53', 'events have no empty line between them', {
    evidence: ['SamSaffron/term-llm#454', spec],
    level: 'should',
    stream: call.map((one) => one.replace('\n\n', '\n')),
    notes: ['events-joined'],
    expect: [ranOslo, unreadable],
  }),
  wireCase('e54', 'a JSON body is complete, and the socket stays open', {
    evidence: ['agentscope-ai/agentscope-java#2073', 'vastsa/PI-Desktop#217'],
    level: 'should',
    plain: { ...callsWith(oslo), end: 'open' },
    notes: ['left-open'],
    expect: ranOslo,
  }),
]

function withLineEnd(lineEnd: string): (part: string) => string {
  return (part) => part.replaceAll('\n', lineEnd)
}

/** An event with something in the middle of its JSON. */
function spliced(part: string, inside: string): string {
  const middle = part.length - 20
  return part.slice(0, middle) + inside + part.slice(middle)
}

function cutInside(character: string, whole: string) {
  const bytes = Buffer.from(whole)
  const cut = bytes.indexOf(character) + 1
  return [bytes.subarray(0, cut), { bytes: bytes.subarray(cut), pauseMs: 20 }]
}
