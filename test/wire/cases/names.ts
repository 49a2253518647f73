import { adds, callOf, done, finish, opens, start } from '../chunk.js'
import { calls, callsWith } from '../completion.js'
import { callFails, ran, requestFails } from '../expectation.js'
import { getTime, getWeather, type ToolShape } from '../tool-shapes.js'
import { inArea, type WireCase } from '../wire-case.js'
import { oslo, ranOslo } from './oslo.js'

const wireCase = inArea('names')
const end = [finish('tool_calls'), done]
const usable = { usableNames: true } as const
const unknown = (...mentions: readonly string[]) => callFails('unknown_tool', { mentions, retryable: false })

/** Names of tools with something around them, without anything in them, or of no tool. */
export const names: readonly WireCase[] = [
  wireCase('n01', 'a space in front', {
    evidence: ['code-yeongyu/oh-my-openagent#1568', 'openclaw/openclaw#27094', 'anomalyco/opencode#24924'],
    stream: [start, opens(oslo, { name: ' get_weather' }), ...end],
    notes: ['name-cleaned'],
    expect: [ranOslo, unknown('get_weather')],
  }),
  wireCase('n02', 'no name ever comes', {
    evidence: ['anomalyco/opencode#37841', 'sgl-project/sglang#4700'],
    stream: [start, opens(oslo, { name: undefined }), ...end],
    expect: unknown(),
  }),
  wireCase('n03', 'a namespace in front', {
    evidence: ['mlc-ai/xgrammar#607', 'openai/harmony#114'],
    level: 'should',
    plain: callsWith(oslo, { name: 'functions.get_weather' }),
    notes: ['name-cleaned'],
    expect: [ranOslo, unknown('functions.get_weather')],
  }),
  wireCase('n04', 'a tool that does not exist, beside one that does', {
    evidence: ['anomalyco/opencode#24924', 'ml-explore/mlx-lm#1612'],
    question: 'Weather in Rome and Oslo?',
    plain: calls(callOf('{"city":"Rome"}', { name: 'get_wether' }), callOf(oslo, { id: 'call_2' })),
    expect: [
      callFails('unknown_tool', { calls: ranOslo.calls, mentions: ['get_wether'] }),
      unknown('get_wether'),
    ],
  }),
  wireCase('n05', 'a line break behind', {
    evidence: ['code-yeongyu/oh-my-openagent#1568', 'anomalyco/opencode#24924'],
    plain: callsWith(oslo, { name: 'get_weather\n' }),
    notes: ['name-cleaned'],
    expect: [ranOslo, unknown('get_weather')],
  }),
  wireCase('n06', 'a template token and a channel behind', {
    evidence: ['vllm-project/vllm#32587', 'openai/harmony#114'],
    level: 'should',
    stream: [start, opens(oslo, { name: 'get_weather<|channel|>commentary' }), ...end],
    notes: ['name-cleaned'],
    expect: [ranOslo, unknown('get_weather')],
  }),
  wireCase('n07', 'a namespace in front and a counter behind', {
    evidence: ['code-yeongyu/oh-my-openagent#1568', 'HKUDS/nanobot#4473'],
    level: 'should',
    plain: callsWith(oslo, { name: 'functions.get_weather:0' }),
    notes: ['name-cleaned'],
    expect: [unknown('get_weather'), ranOslo],
  }),
  wireCase('n08', 'an empty name', {
    evidence: ['anomalyco/opencode#37841', 'jjang-ai/vmlx#244'],
    plain: callsWith(oslo, { name: '' }),
    expect: unknown(),
  }),
  wireCase('n09', 'null for a name', {
    evidence: ['sgl-project/sglang#4700'],
    plain: callsWith(oslo, { name: null }),
    expect: unknown(),
  }),
  wireCase('n10', 'a call without anything in it', {
    evidence: ['endolith/open-interpreter#254'],
    plain: calls({}),
    expect: [unknown(), requestFails('invalid_response')],
  }),
  wireCase('n11', 'a tool that does not exist, in a stream; the tools are listed to the model', {
    evidence: ['ml-explore/mlx-lm#1612', 'anomalyco/opencode#24924'],
    level: 'should',
    stream: [start, opens('{"city":', { name: 'weather_report' }), adds('"Oslo"}'), ...end],
    expect: unknown('weather_report', 'get_weather'),
  }),
  ...['constructor', 'toString', '__proto__'].map((name, n) =>
    wireCase(`n${12 + n}`, `the name of no tool: \`${name}\``, {
      evidence: ['google/adk-js#790', 'anthropics/claude-code#41311'],
      plain: callsWith('{}', { name }),
      expect: unknown(name),
    }),
  ),
  wireCase('n15', 'a tool that is named like what every object inherits', {
    evidence: ['google/adk-js#790'],
    question: 'What is it called?',
    tools: [named('toString'), named('constructor')],
    stream: [
      start,
      opens('{}', { name: 'toString' }),
      opens('{}', { name: 'constructor', id: 'call_2', index: 1 }),
      ...end,
    ],
    expect: {
      calls: [
        { name: 'toString', arguments: {} },
        { name: 'constructor', arguments: {} },
      ],
    },
  }),
  wireCase('n16', 'the right letters in the wrong case', {
    evidence: ['lijunzh/koda#49', 'itayinbarr/little-coder#92'],
    level: 'should',
    plain: callsWith(oslo, { name: 'Get_Weather' }),
    expect: [unknown('Get_Weather'), ranOslo],
  }),
  wireCase('n17', 'a sentence of 300 characters', {
    evidence: ['ml-explore/mlx-lm#1756'],
    level: 'should',
    plain: callsWith(oslo, { name: 'I will now look up the weather. '.repeat(10).slice(0, 300) }),
    expect: { ...unknown(), ...usable },
  }),
  wireCase('n18', 'letters that no name may have', {
    evidence: ['ml-explore/mlx-lm#1756', 'vllm-project/vllm#32587'],
    level: 'should',
    stream: [start, opens(oslo, { name: 'get weather 🌧' }), ...end],
    expect: { ...unknown(), ...usable },
  }),
  wireCase('n19', 'a number for a name', {
    evidence: ['sgl-project/sglang#4700'],
    plain: callsWith(oslo, { name: 42 }),
    expect: [unknown(), requestFails('invalid_response')],
  }),
  wireCase('n20', 'a tool of a prefix of another tool, called in full', {
    evidence: ['continuedev/continue#5849'],
    tools: [getWeather, { ...getTime, name: 'get' }],
    stream: [start, opens('', { name: 'get_weather' }), adds(oslo, { name: 'get_weather' }), ...end],
    expect: ranOslo,
  }),
  wireCase('n21', 'a tool whose name is two others joined', {
    evidence: ['continuedev/continue#5849', 'NousResearch/hermes-agent#11984'],
    tools: [named('ping'), named('pingping')],
    question: 'Ping.',
    // Every delta repeats the name.
    stream: [start, opens('{', { name: 'ping' }), adds('}', { name: 'ping' }), ...end],
    expect: ran('ping', {}),
  }),
  wireCase('n22', 'an empty name, in an answer that goes back into the history', {
    evidence: ['diegosouzapw/OmniRoute#291', 'jjang-ai/vmlx#244'],
    level: 'should',
    stream: [start, opens(oslo, { name: '' }), ...end],
    expect: { ...unknown(), ...usable },
  }),
  wireCase('n23', 'a sentence with the name of a tool in it', {
    evidence: ['ml-explore/mlx-lm#1756', 'derived: a word of it may be meant otherwise'],
    plain: callsWith(oslo, { name: 'do not call get_weather' }),
    expect: { ...unknown('get_weather'), ...usable },
  }),
  wireCase('n24', 'the name comes in two pieces, and the first is a tool as well', {
    evidence: ['continuedev/continue#5849', 'NVIDIA-NeMo/Switchyard#785'],
    tools: [getWeather, { ...getTime, name: 'get' }],
    level: 'should',
    stream: [start, opens('', { name: 'get' }), adds('', { name: '_weather' }), adds(oslo), ...end],
    notes: ['name-in-pieces'],
    expect: [ranOslo, unknown()],
  }),
  wireCase('n25', 'the name comes in three pieces', {
    evidence: ['continuedev/continue#5849'],
    level: 'should',
    stream: [
      start,
      opens('', { name: 'get' }),
      adds('', { name: '_wea' }),
      adds(oslo, { name: 'ther' }),
      ...end,
    ],
    notes: ['name-in-pieces'],
    expect: [ranOslo, unknown()],
  }),
]

function named(name: string): ToolShape {
  return { ...getTime, name }
}
