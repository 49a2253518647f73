import { json } from '../answer.js'
import { adds, callOf, chunk, done, finish, opens, says, start } from '../chunk.js'
import { calls, callsWith, replies } from '../completion.js'
import { callFails, ranAll, requestFails, said } from '../expectation.js'
import { getTime, getWeather } from '../tool-shapes.js'
import { inArea, type WireCase } from '../wire-case.js'
import { oslo, ranBoth, ranOslo, rome } from './oslo.js'

const wireCase = inArea('assembly')
const whole = { index: undefined }
const second = { index: 1, id: 'call_2' }
const end = [finish('tool_calls'), done]
const twenty = Array.from({ length: 20 }, (_, n) => n)

/** Building calls out of pieces: ids, indexes, names, and the lack of them. */
export const assembly: readonly WireCase[] = [
  wireCase('a01', 'one call in fragments, as documented', {
    evidence: ['https://platform.openai.com/docs/guides/function-calling#streaming'],
    stream: [start, opens(''), adds('{"ci'), adds('ty":"Os'), adds('lo"}'), ...end],
    expect: ranOslo,
  }),
  wireCase('a02', 'arguments begin before the name is known', {
    evidence: ['vercel/ai#14722', 'vercel/ai#5885', 'anomalyco/opencode#24137'],
    stream: [
      start,
      opens('{"city"', { name: undefined }),
      adds(undefined, { name: 'get_weather' }),
      adds(':"Oslo"}'),
      ...end,
    ],
    expect: ranOslo,
  }),
  wireCase('a03', 'the last event has the calls in `message`, beside an empty `delta`', {
    evidence: ['jjang-ai/vmlx#219'],
    level: 'should',
    stream: [
      start,
      finishWithMessage({ role: 'assistant', content: null, tool_calls: [callOf(oslo)] }),
      done,
    ],
    expect: [ranOslo, requestFails('invalid_response', { retryable: true })],
  }),
  wireCase('a04', 'a placeholder `{}` comes before the real arguments', {
    evidence: ['BerriAI/litellm#4537'],
    level: 'should',
    stream: [start, opens('{}'), adds('{"city":'), adds('"Oslo"}'), ...end],
    notes: ['arguments-twice'],
    expect: [ranOslo, callFails('invalid_arguments')],
  }),
  wireCase('a05', 'id and name are empty strings in continuations', {
    evidence: ['anomalyco/opencode#37841', 'symfony/ai#2220', 'lmstudio-ai/lmstudio-bug-tracker#649'],
    stream: [
      start,
      opens('{', { id: 'call_8c1f' }),
      adds('"city": ', { id: '', type: 'function', name: '' }),
      adds('"Oslo"}', { id: '', type: 'function', name: '' }),
      ...end,
    ],
    expect: ranOslo,
  }),
  wireCase('a06', 'every delta repeats the id and the name', {
    evidence: ['NousResearch/hermes-agent#11984', 'open-webui/open-webui#22177', 'continuedev/continue#5849'],
    stream: [start, opens('{"ci'), opens('ty":"O'), opens('slo"}'), ...end],
    expect: ranOslo,
  }),
  wireCase('a07', 'two calls of one answer have the same id', {
    evidence: ['HKUDS/nanobot#4473', 'QwenLM/qwen-code#8382', 'fw-ai/fireconnect#16'],
    question: 'Weather in Oslo and Rome?',
    plain: calls(callOf(oslo, { id: 'get_weather:0' }), callOf(rome, { id: 'get_weather:0' })),
    expect: ranBoth,
  }),
  wireCase('a08', 'the id is a number', {
    evidence: ['anomalyco/opencode#25786', 'Kilo-Org/kilocode#5816'],
    plain: callsWith(oslo, { id: 7 }),
    expect: ranOslo,
  }),
  wireCase('a09', 'no id ever comes', {
    evidence: ['continuedev/continue#13235', 'BerriAI/litellm#33223', 'langchain-ai/langchainjs#8581'],
    stream: [start, opens('{"city":', { id: undefined }), adds('"Oslo"}'), ...end],
    notes: ['id-missing'],
    expect: ranOslo,
  }),
  wireCase('a10', 'the only call has no index', {
    evidence: ['openai/openai-python#2806', 'ollama/ollama#7881', 'EricLBuehler/mistral.rs#1507'],
    stream: [start, opens(oslo, whole), ...end],
    expect: ranOslo,
  }),
  wireCase('a11', 'the index begins at 1, after text', {
    evidence: ['vercel/ai#18333', 'mindroom-ai/mindroom#1548', 'context-labs/whip#111'],
    stream: [start, says('Let me look.'), opens('', { index: 1 }), adds(oslo, { index: 1 }), ...end],
    expect: { ...ranOslo, text: 'Let me look.' },
  }),
  wireCase('a12', 'parallel calls all claim index 0', {
    evidence: ['BerriAI/litellm#16194', 'ai-dynamo/dynamo#4723', 'mcowger/plexus#691'],
    question: 'Weather in Oslo and Rome?',
    stream: [start, opens(oslo), opens(rome, { id: 'call_2' }), ...end],
    expect: ranBoth,
  }),
  wireCase('a13', '`tool_calls` is null or empty beside text', {
    evidence: ['Effect-TS/effect#7268', 'microsoft/autogen#5222'],
    stream: [
      chunk({ role: 'assistant', content: 'Hel', tool_calls: null }),
      chunk({ content: 'lo', tool_calls: [] }),
      chunk({ content: '!', function_call: null, tool_calls: null }),
      finish('stop'),
      done,
    ],
    expect: said('Hello!'),
  }),
  wireCase('a14', 'two different objects under one id and one index', {
    evidence: ['open-webui/open-webui#22235', 'su-kaka/gcli2api#406', 'NousResearch/hermes-agent#75528'],
    question: 'Weather in Oslo and Rome?',
    stream: [start, opens(oslo), adds(rome), ...end],
    expect: callFails('invalid_arguments', { mentions: ['get_weather'] }),
  }),
  wireCase('a15', 'a call has no type, and fields nobody knows', {
    evidence: ['vercel/ai#5751', 'vercel/ai#5800'],
    plain: replies(
      {
        tool_calls: [
          {
            id: 'call_1',
            function: { name: 'get_weather', arguments: oslo, description: null },
            index: 0,
            vendor: { x: 1 },
          },
        ],
      },
      'tool_calls',
      { service_tier: null, 'x-vendor': true },
    ),
    expect: ranOslo,
  }),
  wireCase('a16', 'role, call and finish reason come in one chunk', {
    evidence: ['docker/docker-agent#2992', 'OpenRouterTeam/ai-sdk-provider#166'],
    stream: [
      finish('tool_calls', {
        role: 'assistant',
        content: null,
        tool_calls: [callOf(oslo, { index: 0 })],
      }),
      done,
    ],
    expect: ranOslo,
  }),
  wireCase('a17', 'call and finish reason come in one chunk, without an index', {
    evidence: ['docker/docker-agent#2992', 'open-webui/open-webui#27190'],
    stream: [start, finish('tool_calls', { tool_calls: [callOf(oslo)] }), done],
    expect: ranOslo,
  }),
  wireCase('a18', 'the index is negative', {
    evidence: ['trpc-group/trpc-agent-go#2621'],
    stream: [start, opens('{"city":', { index: -1 }), adds('"Oslo"}', { index: -1 }), ...end],
    expect: ranOslo,
  }),
  wireCase('a19', 'indexes are far apart and in falling order', {
    evidence: ['mindroom-ai/mindroom#1548', 'trpc-group/trpc-agent-go#2621'],
    question: 'Weather in Oslo and Rome?',
    stream: [
      start,
      opens('{"city":', { index: 9001 }),
      opens('{"city":', { index: 3, id: 'call_2' }),
      adds('"Rome"}', { index: 3 }),
      adds('"Oslo"}', { index: 9001 }),
      ...end,
    ],
    expect: ranBoth,
  }),
  wireCase('a20', 'the head of a call has another index than its tail', {
    evidence: ['agno-agi/agno#8879', 'agno-agi/agno#8880'],
    stream: [start, opens('', { index: 1 }), adds('{"city":"Os'), adds('lo"}'), ...end],
    notes: ['call-by-order'],
    expect: ranOslo,
  }),
  wireCase('a21', 'tails carry the right id and the wrong index', {
    evidence: ['agno-agi/agno#8880'],
    question: 'Weather in Oslo and Rome?',
    stream: [
      start,
      opens('{"city":'),
      opens('{"city":', second),
      adds('"Oslo"}', { index: 1, id: 'call_1' }),
      adds('"Rome"}', { index: 0, id: 'call_2' }),
      ...end,
    ],
    notes: ['call-by-id'],
    expect: ranBoth,
  }),
  wireCase('a22', 'id, name and type are null in continuations', {
    evidence: ['sgl-project/sglang#35542', 'Effect-TS/effect#8333', 'veryfront/veryfront-code#3815'],
    stream: [
      start,
      opens('{"city":'),
      adds('"Oslo"}', { id: null, type: null, name: null }),
      adds(null, { id: null, type: null, name: null }),
      ...end,
    ],
    expect: ranOslo,
  }),
  wireCase('a23', 'fragments of two calls are interleaved', {
    evidence: ['ai-dynamo/dynamo#4723', 'lidge-jun/opencodex#1754'],
    question: 'Weather in Oslo and Rome?',
    stream: [
      start,
      opens('{"ci'),
      opens('{"ci', second),
      adds('ty":"Os'),
      adds('ty":"Ro', { index: 1 }),
      adds('me"}', { index: 1 }),
      adds('lo"}'),
      ...end,
    ],
    expect: ranBoth,
  }),
  wireCase('a24', 'fragments of two calls are interleaved, told apart by id alone', {
    evidence: ['agno-agi/agno#8880', 'open-webui/open-webui#27190'],
    question: 'Weather in Oslo and Rome?',
    stream: [
      start,
      opens('{"city":', whole),
      opens('{"city":', { ...whole, id: 'call_2' }),
      adds('"Oslo"}', { ...whole, id: 'call_1' }),
      adds('"Rome"}', { ...whole, id: 'call_2' }),
      ...end,
    ],
    expect: ranBoth,
  }),
  wireCase('a25', 'two whole calls without an index in one chunk', {
    evidence: ['ollama/ollama#7881', 'aaif-goose/goose#10023'],
    question: 'Weather in Oslo and Rome?',
    stream: [start, chunk({ tool_calls: [callOf(oslo), callOf(rome, { id: 'call_2' })] }), ...end],
    expect: ranBoth,
  }),
  wireCase('a26', 'two whole calls with neither index nor id, one chunk after the other', {
    evidence: ['ollama/ollama#7881', 'continuedev/continue#13235'],
    question: 'Weather in Oslo and Rome?',
    stream: [
      start,
      opens(oslo, { ...whole, id: undefined }),
      opens(rome, { ...whole, id: undefined }),
      ...end,
    ],
    notes: ['call-by-name', 'id-missing'],
    expect: ranBoth,
  }),
  wireCase('a27', 'two calls of different tools have the same id and index', {
    evidence: ['fw-ai/fireconnect#16', 'BerriAI/litellm#16194'],
    question: 'Weather in Oslo, and what time is it?',
    tools: [getWeather, getTime],
    stream: [start, opens(oslo), opens('{}', { name: 'get_time' }), ...end],
    notes: ['call-by-name'],
    expect: [
      ranAll([
        ['get_weather', { city: 'Oslo' }],
        ['get_time', {}],
      ]),
      callFails('invalid_arguments'),
      requestFails('invalid_response'),
    ],
    level: 'should',
  }),
  wireCase('a28', 'two calls at different indexes have the same id in a stream', {
    evidence: ['HKUDS/nanobot#4473', 'fw-ai/fireconnect#16'],
    question: 'Weather in Oslo and Rome?',
    level: 'should',
    stream: [start, opens(oslo), opens(rome, { index: 1 }), ...end],
    notes: ['call-by-name'],
    expect: [ranBoth, callFails('invalid_arguments'), requestFails('invalid_response')],
  }),
  wireCase('a29', 'the next answer uses the id of the last one again', {
    evidence: ['HKUDS/nanobot#4473', 'anomalyco/opencode#25786'],
    question: 'Weather in Oslo, and then in Rome?',
    plain: callsWith(oslo, { id: 'call_0' }),
    // A history with one id twice is refused by strict servers.
    next: [callsWith(rome, { id: 'call_0' })],
    expect: { ...ranBoth, finalText: 'FINAL ANSWER' },
  }),
  wireCase('a30', 'the id is a number in every delta', {
    evidence: ['anomalyco/opencode#25786', 'Kilo-Org/kilocode#5816'],
    stream: [start, opens('{"city":', { id: 0 }), adds('"Oslo"}', { id: 0 }), ...end],
    expect: ranOslo,
  }),
  wireCase('a31', 'the id is an empty string and stays one', {
    evidence: ['continuedev/continue#13235', 'binaricat/Netcatty#1007'],
    question: 'Weather in Oslo and Rome?',
    plain: calls(callOf(oslo, { id: '' }), callOf(rome, { id: '' })),
    notes: ['id-missing'],
    expect: ranBoth,
  }),
  wireCase('a32', 'the id comes after the name', {
    evidence: ['jjang-ai/vmlx#244'],
    level: 'should',
    stream: [
      start,
      opens('', { id: undefined }),
      adds('{"city":', { id: 'call_1' }),
      adds('"Oslo"}'),
      ...end,
    ],
    expect: [ranOslo, callFails(['unknown_tool', 'invalid_arguments']), requestFails('invalid_response')],
  }),
  wireCase('a33', 'the name is empty at first and comes with the second delta', {
    evidence: ['jjang-ai/vmlx#244'],
    stream: [start, opens('', { name: '' }), opens(oslo), ...end],
    expect: ranOslo,
  }),
  wireCase('a34', 'the fragments of one call have another id than its head', {
    evidence: ['poolsideai/pool#9', 'cubist38/mlx-openai-server#216'],
    level: 'should',
    stream: [
      start,
      opens('', { id: 'call_head' }),
      adds('{"city":', { id: 'call_tail' }),
      adds('"Oslo"}', { id: 'call_tail' }),
      ...end,
    ],
    expect: [
      ranOslo,
      callFails(['unknown_tool', 'invalid_arguments']),
      requestFails(['invalid_response', 'truncated']),
    ],
  }),
  wireCase('a35', 'the name comes in two pieces', {
    evidence: ['continuedev/continue#5849', 'NVIDIA-NeMo/Switchyard#785'],
    level: 'should',
    stream: [start, opens('', { name: 'get_' }), adds('', { name: 'weather' }), adds(oslo), ...end],
    notes: ['name-in-pieces'],
    expect: [ranOslo, callFails('unknown_tool')],
  }),
  wireCase('a36', 'the last chunk has the whole arguments once more', {
    evidence: ['vllm-project/vllm#51697', 'lidge-jun/opencodex#361'],
    level: 'should',
    stream: [start, opens('{"city":'), adds('"Oslo"}'), adds(oslo), ...end],
    notes: ['arguments-twice'],
    expect: [ranOslo, callFails('invalid_arguments')],
  }),
  wireCase('a37', 'the call comes in deltas, and again whole in the last `message`', {
    evidence: ['jjang-ai/vmlx#219', 'perplexityai/api-discussion#209'],
    level: 'should',
    stream: [
      start,
      opens('{"city":'),
      adds('"Oslo"}'),
      finishWithMessage({ role: 'assistant', content: null, tool_calls: [callOf(oslo)] }),
      done,
    ],
    notes: ['call-again'],
    expect: [ranOslo, callFails('invalid_arguments'), requestFails('invalid_response')],
  }),
  wireCase('a38', 'text comes between the fragments of a call', {
    evidence: ['vercel/ai#18333'],
    stream: [start, says('One '), opens('{"city":'), says('moment.'), adds('"Oslo"}'), ...end],
    expect: { ...ranOslo, text: 'One moment.' },
  }),
  wireCase('a39', '`delta` or `function` is null in some chunks', {
    evidence: ['TheR1D/shell_gpt#663', 'endolith/open-interpreter#254'],
    stream: [
      start,
      opens('{"city":'),
      chunk(null),
      chunk({ tool_calls: [{ index: 0, function: null }] }),
      adds('"Oslo"}'),
      finish('tool_calls', null),
      done,
    ],
    expect: ranOslo,
  }),
  wireCase('a40', 'twenty calls, all heads first, then all arguments backwards', {
    evidence: ['ai-dynamo/dynamo#4723', 'NousResearch/hermes-agent#12930'],
    question: 'Weather in twenty cities?',
    stream: [
      start,
      ...twenty.map((n) => opens('{"city":', { index: n, id: `call_${n}` })),
      ...twenty.map((n) => adds(`"City ${19 - n}"}`, { index: 19 - n })),
      ...end,
    ],
    expect: ranAll(twenty.map((n) => ['get_weather', { city: `City ${n}` }])),
  }),
  wireCase('a41', 'the first call has an index, the second has none', {
    evidence: ['open-webui/open-webui#27190', 'EricLBuehler/mistral.rs#1507'],
    question: 'Weather in Oslo and Rome?',
    stream: [start, opens(oslo), opens(rome, { ...whole, id: 'call_2' }), ...end],
    expect: ranBoth,
  }),
  wireCase('a42', 'two equal calls are two calls', {
    evidence: ['HKUDS/nanobot#4473'],
    question: 'What time is it, twice?',
    tools: [getTime],
    plain: calls(callOf('{}', { name: 'get_time' }), callOf('{}', { name: 'get_time', id: 'call_2' })),
    expect: ranAll([
      ['get_time', {}],
      ['get_time', {}],
    ]),
  }),
  wireCase('a43', 'the type is an empty string, or null', {
    evidence: ['vercel/ai#12905', 'vercel/ai#5751'],
    question: 'Weather in Oslo and Rome?',
    stream: [start, opens(oslo, { type: '' }), opens(rome, { ...second, type: null }), ...end],
    expect: ranBoth,
  }),
  wireCase('a44', 'two runs of the loop, each with a call', {
    evidence: ['the control for several turns'],
    question: 'Weather in Oslo, and then in Rome?',
    plain: callsWith(oslo),
    next: [callsWith(rome, { id: 'call_2' })],
    expect: { ...ranBoth, finalText: 'FINAL ANSWER' },
  }),
  wireCase('a45', 'the index is a text', {
    evidence: ['agno-agi/agno#8880', 'derived: an index is a label, whatever its type'],
    level: 'should',
    question: 'Weather in Oslo and Rome?',
    stream: [
      start,
      opens('{"city":', { index: '0' }),
      opens('{"city":', { index: '1', id: 'call_2' }),
      adds('"Oslo"}', { index: '0' }),
      adds('"Rome"}', { index: '1' }),
      ...end,
    ],
    expect: [ranBoth, callFails('invalid_arguments'), requestFails('invalid_response')],
  }),
  wireCase('a46', 'the index is a text, and the first of two heads gets its arguments last', {
    evidence: ['agno-agi/agno#8880', 'derived: an index is a label, whatever its type'],
    question: 'Weather in Oslo, and what time is it?',
    tools: [getWeather, getTime],
    stream: [
      start,
      opens('', { index: '0' }),
      opens('', { index: '1', id: 'call_2', name: 'get_time' }),
      adds(oslo, { index: '0' }),
      ...end,
    ],
    // The arguments of one tool are not another's.
    notes: ['arguments-empty'],
    expect: [
      ranAll([
        ['get_weather', { city: 'Oslo' }],
        ['get_time', {}],
      ]),
      requestFails('invalid_response'),
    ],
  }),
  wireCase('a47', 'a text and a call come in deltas, and both again in the last `message`', {
    evidence: ['jjang-ai/vmlx#219', 'perplexityai/api-discussion#209'],
    level: 'should',
    stream: [
      start,
      says('Let me '),
      says('look.'),
      opens('{"city":'),
      adds('"Oslo"}'),
      finishWithMessage({ role: 'assistant', content: 'Let me look.', tool_calls: [callOf(oslo)] }),
      done,
    ],
    notes: ['call-again', 'text-again'],
    expect: [{ ...ranOslo, text: 'Let me look.' }, requestFails('invalid_response')],
  }),
  wireCase('a48', 'the call comes in deltas, and again in the last `message` under another id', {
    evidence: ['jjang-ai/vmlx#219', 'cubist38/mlx-openai-server#216'],
    level: 'should',
    stream: [
      start,
      opens('{"city":'),
      adds('"Oslo"}'),
      finishWithMessage({
        role: 'assistant',
        tool_calls: [callOf('{"city": "Oslo"}', { id: 'call_other' })],
      }),
      done,
    ],
    notes: ['call-again'],
    expect: [ranOslo, callFails('invalid_arguments'), requestFails('invalid_response')],
  }),
  wireCase('a49', 'every piece of a call has an id of its own, and the tool could do without arguments', {
    evidence: ['poolsideai/pool#9', 'cubist38/mlx-openai-server#216'],
    question: 'What time is it in Oslo?',
    tools: [getTime],
    stream: [
      start,
      opens('', { name: 'get_time' }),
      adds('{"zone":', { id: 'call_2' }),
      adds('"Europe/Oslo"}', { id: 'call_3' }),
      ...end,
    ],
    // With `{}` it would run with what nobody sent.
    expect: [
      requestFails('invalid_response', { retryable: true }),
      callFails(['unknown_tool', 'invalid_arguments']),
      ranAll([['get_time', { zone: 'Europe/Oslo' }]]),
    ],
  }),
  wireCase('a50', 'the call comes in the old form, and then in the new one', {
    evidence: ['openai/openai-cookbook#496', 'derived: a call that is said twice is one call'],
    level: 'should',
    stream: [start, chunk({ function_call: { name: 'get_weather', arguments: oslo } }), opens(oslo), ...end],
    notes: ['call-again', 'old-function-call'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  wireCase('a51', 'the choice has the calls beside its message, and the finish reason promises none', {
    evidence: ['derived: nothing that a server says is lost silently'],
    level: 'should',
    plain: json(200, {
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '' },
          tool_calls: [callOf(oslo)],
          finish_reason: 'stop',
        },
      ],
    }),
    notes: ['calls-despite-reason', 'message-beside-choice'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
  wireCase('a52', 'the index of choices is a text, and two of them make calls piece by piece', {
    evidence: ['derived: an index is a label, whatever its type'],
    question: 'Weather in Oslo?',
    stream: [
      chunk({ tool_calls: [callOf('{"city"', { index: 0 })] }, { index: '0' }),
      chunk({ tool_calls: [callOf('{"unit":"f"', { index: 0, id: 'call_2' })] }, { index: '1' }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ':"Oslo"}' } }] }, { index: '0' }),
      chunk({}, { index: '0', finish_reason: 'tool_calls' }),
      done,
    ],
    notes: ['choice-by-index'],
    expect: [ranOslo, requestFails('invalid_response')],
  }),
]

function finishWithMessage(message: object): string {
  return chunk({}, { message, finish_reason: 'tool_calls' })
}
