import { adds, callOf, done, finish, opens, start } from '../chunk.js'
import { calls, callsWith, completion, replies } from '../completion.js'
import { callFails, type Expectation, ran, ranAll, requestFails } from '../expectation.js'
import { addNumbers, getTime, saveNote, search, storeData } from '../tool-shapes.js'
import { inArea, type WireCase } from '../wire-case.js'
import { oslo, ranOslo, rome } from './oslo.js'

const wireCase = inArea('arguments')
const end = [finish('tool_calls'), done]
const note = { name: 'save_note' }
const time = { tools: [getTime], question: 'What time is it?' }
const save = { tools: [saveNote], question: 'Save a note' }
const toldTo = (tool: string): Expectation => callFails('invalid_arguments', { mentions: [tool] })
const told = toldTo('get_weather')

const polluting = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"x":1}'
const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`

const latin1 = completion({ tool_calls: [callOf('{"title":"café"}', note)] }, 'tool_calls')

/** What servers write where a JSON object in a string belongs. */
export const argumentsOfCalls: readonly WireCase[] = [
  wireCase('g01', 'an array', {
    evidence: ['NousResearch/hermes-agent#84055', 'KeithCu/writeragent#47'],
    ...time,
    plain: callsWith('["now"]', { name: 'get_time' }),
    expect: toldTo('get_time'),
  }),
  wireCase('g02', 'the object encoded twice', {
    evidence: ['quarkiverse/quarkus-langchain4j#2642', 'tailcallhq/forgecode#2764'],
    level: 'should',
    plain: callsWith(JSON.stringify(oslo)),
    notes: ['arguments-in-string'],
    expect: [ranOslo, told],
  }),
  wireCase('g03', 'nothing, where a city is required', {
    evidence: ['ahwurm/localharness#77', 'mrdushidush/claudette#238'],
    plain: callsWith(''),
    notes: ['arguments-empty'],
    expect: callFails('invalid_arguments', { mentions: ['city'] }),
  }),
  wireCase('g04', 'nothing, for a tool without parameters', {
    evidence: ['openai/openai-agents-js#664', 'sigoden/aichat#1217', 'simonw/llm#1164'],
    ...time,
    plain: callsWith('', { name: 'get_time' }),
    notes: ['arguments-empty'],
    expect: ran('get_time', {}),
  }),
  wireCase('g05', 'escapes and a surrogate pair cut by the fragments', {
    evidence: ['kekzl/imp#1667', 'earendil-works/pi#2551'],
    ...save,
    stream: [
      start,
      opens('{"title":"caf\\u00', note),
      adds('e9 \\ud83'),
      adds('d\\ude'),
      adds('00 \\'),
      adds('"q\\\\'),
      adds('"}'),
      ...end,
    ],
    expect: ran('save_note', { title: 'café 😀 "q\\' }),
  }),
  wireCase('g06', '640,000 characters in 10,000 fragments', {
    evidence: ['CommandCodeAI/command-code#785', 'NousResearch/hermes-agent#74798'],
    ...save,
    stream: [
      start,
      opens('{"title":"big","body":"', note),
      { bytes: adds('0123456789abcdef'.repeat(4)), times: 10_000 },
      adds('"}'),
      ...end,
    ],
    expect: { calls: [{ name: 'save_note', lengths: { title: 3, body: 640_000 } }] },
    timeLimitMs: 10_000,
  }),
  wireCase('g07', 'half of a surrogate pair, raw', {
    evidence: ['anthropics/claude-code#68325', 'Yeachan-Heo/gajae-code#1498'],
    level: 'should',
    ...save,
    stream: [start, opens('{"title":"x\ud83dy"}', note), ...end],
    expect: [
      ran('save_note', { title: 'x\ufffdy' }, { wellFormed: true }),
      ran('save_note', { title: 'x\ud83dy' }, { wellFormed: true }),
      toldTo('save_note'),
    ],
  }),
  wireCase('g08', 'null', {
    evidence: ['braintrustdata/braintrust-sdk-javascript#1061', 'Future-House/aviary#73'],
    ...time,
    plain: callsWith(null, { name: 'get_time' }),
    notes: ['arguments-empty'],
    expect: ran('get_time', {}),
  }),
  wireCase('g09', 'the object itself', {
    evidence: ['ggml-org/llama.cpp#20198', 'sipeed/picoclaw#1292', 'mrdushidush/claudette#238'],
    plain: callsWith({ city: 'Oslo', unit: 'c' }),
    notes: ['arguments-as-object'],
    expect: ran('get_weather', { city: 'Oslo', unit: 'c' }),
  }),
  wireCase('g10', '`__proto__` and `constructor` as keys inside', {
    evidence: ['pensarai/apex#1042', 'vercel-labs/just-bash#82'],
    question: 'Store it',
    tools: [storeData],
    plain: callsWith(`{"data":${polluting}}`, { name: 'store' }),
    expect: safely('data'),
  }),
  wireCase('g11', 'Python', {
    evidence: ['waybarrios/vllm-mlx#63', 'ml-explore/mlx-lm#1004', 'NousResearch/atropos#478'],
    level: 'should',
    ...save,
    plain: callsWith(`{'title': "it's", 'body': None, 'tags': ['a']}`, note),
    expect: [toldTo('save_note'), ran('save_note', { title: "it's", tags: ['a'] })],
  }),
  wireCase('g12', 'the word null in a string', {
    evidence: ['langchain-ai/langchain#34190', 'huggingface/huggingface_hub#3126'],
    level: 'should',
    ...time,
    plain: callsWith('null', { name: 'get_time' }),
    notes: ['arguments-empty'],
    expect: [ran('get_time', {}), toldTo('get_time')],
  }),
  wireCase('g13', 'the object, and then a sentence', {
    evidence: ['librefang/librefang#2975', 'NousResearch/hermes-agent#80951'],
    level: 'should',
    question: 'Search',
    tools: [search],
    plain: callsWith(`{"query":"TO-DO","limit":10}\n\nI'll now search for the items.`, { name: 'search' }),
    expect: [toldTo('search'), ran('search', { query: 'TO-DO', limit: 10 })],
  }),
  wireCase('g14', 'an object with a property of the wrong type', {
    evidence: ['MoonshotAI/kimi-code#2118'],
    question: 'Add one and two',
    tools: [addNumbers],
    stream: [start, opens('{"a":1,"b":"two"}', { name: 'add' }), ...end],
    expect: callFails('invalid_arguments', { mentions: ['b'] }),
  }),
  wireCase('g15', 'null at first, and then text', {
    evidence: ['Effect-TS/effect#8333', 'lidge-jun/opencodex#1754'],
    stream: [start, opens(null), adds('{"city":'), adds('"Oslo"}'), adds(null), ...end],
    expect: ranOslo,
  }),
  wireCase('g16', 'the object itself, in a delta', {
    evidence: ['ggml-org/llama.cpp#20198', 'ggml-org/llama.cpp#20202'],
    stream: [start, opens({ city: 'Oslo', unit: 'c' }), ...end],
    notes: ['arguments-as-object'],
    expect: ran('get_weather', { city: 'Oslo', unit: 'c' }),
  }),
  wireCase('g17', 'a placeholder `{}`, white space, and then the object', {
    evidence: ['BerriAI/litellm#4537'],
    level: 'should',
    stream: [start, opens('{}'), adds('\n {"city": '), adds('"Oslo"}\n'), ...end],
    notes: ['arguments-twice'],
    expect: [ranOslo, told],
  }),
  wireCase('g18', 'the object encoded twice, in fragments', {
    evidence: ['quarkiverse/quarkus-langchain4j#2642', 'quarkiverse/quarkus-langchain4j#2569'],
    level: 'should',
    stream: [start, opens('"{\\"city\\"'), adds(':\\"Oslo\\"}"'), ...end],
    notes: ['arguments-in-string'],
    expect: [ranOslo, told],
  }),
  wireCase('g19', 'an object encoded twice and cut', {
    evidence: ['quarkiverse/quarkus-langchain4j#2569', 'vllm-project/vllm#58228'],
    plain: callsWith('"{\\"city\\":\\"Os"'),
    expect: told,
  }),
  wireCase('g20', 'an array of the object', {
    evidence: ['NousResearch/hermes-agent#84055'],
    stream: [start, opens('[{"city":"Oslo"}]'), ...end],
    expect: told,
  }),
  wireCase('g21', 'a bare value', {
    evidence: ['KeithCu/writeragent#47'],
    plain: callsWith('"Oslo"'),
    expect: told,
  }),
  wireCase('g22', 'a number where the string belongs', {
    evidence: ['ggml-org/llama.cpp#20198'],
    plain: callsWith(42),
    notes: ['arguments-as-object'],
    expect: told,
  }),
  wireCase('g23', 'the object in a code fence', {
    evidence: ['waybarrios/vllm-mlx#63'],
    level: 'should',
    plain: callsWith('```json\n{"city":"Oslo"}\n```'),
    expect: [told, ranOslo],
  }),
  wireCase('g24', 'a trailing comma', {
    evidence: ['waybarrios/vllm-mlx#63', 'NousResearch/atropos#478'],
    level: 'should',
    plain: callsWith('{"city":"Oslo",}'),
    expect: [told, ranOslo],
  }),
  wireCase('g25', 'single quotes', {
    evidence: ['waybarrios/vllm-mlx#63', 'ml-explore/mlx-lm#1004'],
    level: 'should',
    plain: callsWith(`{'city': 'Oslo'}`),
    expect: [told, ranOslo],
  }),
  wireCase('g26', 'a text cut inside an escape, called complete', {
    evidence: ['vllm-project/vllm#58228', 'anthropics/claude-code#79339'],
    stream: [start, opens('{"city":"K\\u00f'), ...end],
    expect: told,
  }),
  wireCase('g27', 'a text cut where a closing brace would make it valid', {
    evidence: ['vllm-project/vllm#58228', 'NousResearch/hermes-agent#7693'],
    ...save,
    plain: callsWith('{"title":"plan","body":"all of it"', note),
    expect: toldTo('save_note'),
  }),
  wireCase('g28', '`__proto__` and `constructor` as keys of the arguments', {
    evidence: ['pensarai/apex#1042', 'google/adk-js#790'],
    question: 'What time is it?',
    tools: [getTime],
    stream: [start, opens(polluting, { name: 'get_time' }), ...end],
    expect: [...safely(), toldTo('get_time')],
  }),
  wireCase('g29', 'keys named like what every object inherits', {
    evidence: ['google/adk-js#790', 'anthropics/claude-code#41311'],
    question: 'Store it',
    tools: [storeData],
    plain: callsWith('{"data":{"toString":"a","hasOwnProperty":"b","valueOf":1}}', { name: 'store' }),
    expect: ran('store', { data: { toString: 'a', hasOwnProperty: 'b', valueOf: 1 } }),
  }),
  wireCase('g30', 'nothing where `toString` is required', {
    evidence: ['google/adk-js#790'],
    tools: [
      {
        ...getTime,
        parameters: { type: 'object', properties: { toString: { type: 'string' } }, required: ['toString'] },
      },
    ],
    question: 'What time is it?',
    plain: callsWith('{}', { name: 'get_time' }),
    // An inherited function is not an argument.
    expect: callFails('invalid_arguments', { mentions: ['toString'] }),
  }),
  wireCase('g31', 'the same object twice, written differently', {
    evidence: ['vllm-project/vllm#51697', 'open-webui/open-webui#22235'],
    level: 'should',
    stream: [start, opens(oslo), adds('{ "city": "Oslo" }'), ...end],
    expect: [ranOslo, told],
  }),
  wireCase('g32', 'two different objects in a plain answer', {
    evidence: ['open-webui/open-webui#22235', 'NousResearch/hermes-agent#75528'],
    plain: callsWith(oslo + rome),
    expect: told,
  }),
  wireCase('g33', '`{}` twice, for a tool without parameters', {
    evidence: ['BerriAI/litellm#4537'],
    ...time,
    stream: [start, opens('{}', { name: 'get_time' }), adds('{}'), ...end],
    notes: ['arguments-twice'],
    expect: [ran('get_time', {}), toldTo('get_time')],
    level: 'should',
  }),
  wireCase('g34', 'white space, for a tool without parameters', {
    evidence: ['simonw/llm#1164', 'NousResearch/hermes-agent#83937'],
    ...time,
    stream: [start, opens(' ', { name: 'get_time' }), adds('\n'), ...end],
    notes: ['arguments-empty'],
    expect: ran('get_time', {}),
  }),
  wireCase('g35', 'no such field, for a tool without parameters', {
    evidence: ['openai/openai-agents-js#664', 'the interface: arguments may be empty'],
    ...time,
    plain: callsWith(undefined, { name: 'get_time' }),
    notes: ['arguments-empty'],
    expect: ran('get_time', {}),
  }),
  wireCase('g36', 'only the placeholder `{}`, where a city is required', {
    evidence: ['BerriAI/litellm#4537', 'vllm-project/vllm#46303'],
    stream: [start, opens('{}'), ...end],
    expect: callFails('invalid_arguments', { mentions: ['city'] }),
  }),
  wireCase('g37', 'half of a surrogate pair, as an escape', {
    evidence: ['anthropics/claude-code#68325', 'Yeachan-Heo/gajae-code#1498'],
    level: 'should',
    ...save,
    plain: callsWith('{"title":"x\\ud83dy"}', note),
    expect: [
      ran('save_note', { title: 'x\ufffdy' }, { wellFormed: true }),
      ran('save_note', { title: 'x\ud83dy' }, { wellFormed: true }),
      toldTo('save_note'),
    ],
  }),
  wireCase('g38', 'a raw line break inside a string', {
    evidence: ['earendil-works/pi#3637', 'openclaw/openclaw#141323', 'jundot/omlx#1931'],
    level: 'should',
    ...save,
    plain: callsWith('{"title":"a\nb"}', note),
    expect: [toldTo('save_note'), ran('save_note', { title: 'a\nb' })],
  }),
  wireCase('g39', 'a value that the schema does not list', {
    evidence: ['MoonshotAI/kimi-code#2118'],
    plain: callsWith('{"city":"Oslo","unit":"kelvin"}'),
    expect: callFails('invalid_arguments', { mentions: ['unit'] }),
  }),
  wireCase('g40', 'null for an optional property', {
    evidence: ['langchain-ai/langchain#34190'],
    level: 'should',
    plain: callsWith('{"city":"Oslo","unit":null}'),
    expect: [callFails('invalid_arguments', { mentions: ['unit'] }), ranOslo],
  }),
  wireCase('g41', 'a sentence, and then the object', {
    evidence: ['librefang/librefang#2975', 'NousResearch/hermes-agent#80951'],
    level: 'should',
    plain: callsWith('Sure, here it is: {"city":"Oslo"}'),
    expect: [told, ranOslo],
  }),
  wireCase('g42', 'a thousand arrays inside one another', {
    evidence: ['pensarai/apex#1042'],
    level: 'should',
    question: 'Store it',
    tools: [storeData],
    plain: callsWith(`{"data":{"x":${deep}}}`, { name: 'store' }),
    expect: [ran('store', JSON.parse(`{"data":{"x":${deep}}}`)), toldTo('store')],
  }),
  wireCase('g43', 'bad arguments in one call, good ones in the next', {
    evidence: ['vllm-project/vllm#58228', 'MoonshotAI/kimi-code#2118'],
    question: 'Weather in Oslo and Rome?',
    plain: calls(callOf('{"city":', {}), callOf(rome, { id: 'call_2' })),
    expect: [
      callFails('invalid_arguments', { calls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] }),
      told,
    ],
  }),
  wireCase('g44', 'numbers and booleans as text', {
    evidence: ['MoonshotAI/kimi-code#2118', 'ml-explore/mlx-lm#1004'],
    level: 'should',
    question: 'Add one and two',
    tools: [addNumbers],
    plain: callsWith('{"a":"1","b":"2"}', { name: 'add' }),
    expect: [callFails('invalid_arguments', { mentions: ['a'] }), ran('add', { a: 1, b: 2 })],
  }),
  wireCase('g45', 'bad arguments first; the model mends them', {
    evidence: ['MoonshotAI/kimi-code#2118'],
    plain: callsWith('{"town":"Oslo"}'),
    next: [callsWith(oslo, { id: 'call_2' })],
    expect: callFails('invalid_arguments', { calls: ranOslo.calls, mentions: ['city'] }),
  }),
  wireCase('g46', 'large and small numbers, to the digit', {
    evidence: ['the control for numbers'],
    question: 'Add',
    tools: [addNumbers],
    stream: [start, opens('{"a":-1.5e-7,', { name: 'add' }), adds('"b":9007199254740991}'), ...end],
    expect: ranAll([['add', { a: -1.5e-7, b: 9_007_199_254_740_991 }]]),
  }),
  wireCase('g47', 'the object is called `parameters`, for a tool that could do without', {
    evidence: ['derived: nothing that a server says is lost silently'],
    ...time,
    plain: replies(
      {
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'get_time', parameters: { zone: 'CET' } } },
        ],
      },
      'tool_calls',
    ),
    notes: ['arguments-as-object', 'arguments-elsewhere'],
    expect: [ran('get_time', { zone: 'CET' }), toldTo('get_time'), requestFails('invalid_response')],
  }),
  wireCase('g48', 'a whole number with more digits than can be kept', {
    evidence: ['https://www.rfc-editor.org/rfc/rfc8259#section-6'],
    level: 'should',
    question: 'Store it',
    tools: [storeData],
    plain: callsWith('{"data":{"id":12345678901234567890}}', { name: 'store' }),
    expect: toldTo('store'),
  }),
  wireCase('g49', 'the same object twice, and a character between', {
    evidence: ['vllm-project/vllm#51697', 'derived: it may stand for anything'],
    plain: callsWith(`${oslo}X${oslo}`),
    expect: told,
  }),
  wireCase('g50', 'a key that is there twice, with two values', {
    evidence: ['https://www.rfc-editor.org/rfc/rfc8259#section-4'],
    level: 'should',
    plain: callsWith('{"city":"Oslo","city":"Rome"}'),
    expect: [told, ran('get_weather', { city: 'Rome' })],
  }),
  wireCase('g51', 'bytes that are no text', {
    evidence: ['agentclientprotocol/python-sdk#135', 'derived: what they stand for is not known'],
    ...save,
    plain: {
      ...callsWith('{}'),
      writes: [{ bytes: Buffer.from(JSON.stringify(latin1), 'latin1') }],
    },
    notes: ['bytes-garbled'],
    expect: [requestFails('invalid_response'), toldTo('save_note')],
  }),
]

/** Hostile keys pass as own ones, or are left out; what inherits them is wrong. */
function safely(under?: string): readonly Expectation[] {
  const tool = under === undefined ? 'get_time' : 'store'
  const wrap = (text: string) => JSON.parse(under === undefined ? text : `{"${under}":${text}}`)
  return [
    ran(tool, wrap(polluting)),
    ran(tool, wrap('{"x":1,"constructor":{"prototype":{"polluted":true}}}')),
    ran(tool, wrap('{"x":1}')),
    toldTo(tool),
  ]
}
