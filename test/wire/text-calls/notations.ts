import type { ToolCallData } from './text-case.js'

/** How models of a family write calls. */
export interface Notation {
  readonly name: string
  readonly family: string
  readonly evidence: string
  write(calls: readonly ToolCallData[]): string
  /** Whether values that are not text are written as in JSON, and any text can be a value. Default true. */
  readonly isJson?: boolean
  /** Whether one reply has one call only. Default false. */
  readonly isSingle?: boolean
  /** What reasoning is written in. Default: `<think>` and `</think>`. */
  readonly reasoning?: readonly [string, string]
  /** Stands between reasoning and calls. Default: nothing. */
  readonly afterReasoning?: string
}

const vllm = 'vllm-project/vllm vllm/entrypoints/openai/tool_parsers'
const sglang = 'sgl-project/sglang python/sglang/srt/function_call'

const json = (value: unknown) => JSON.stringify(value)
const spaced = (value: unknown) => JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
const each = (
  calls: readonly ToolCallData[],
  write: (call: ToolCallData, n: number) => string,
  between = '',
) => calls.map(write).join(between)
const named = ({ name, arguments: given }: ToolCallData) => ({ name, arguments: given })

/** A value as text between tags: text as it is, anything else as JSON. */
const plain = (value: unknown) => (typeof value === 'string' ? value : json(value))

const python = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null) return 'None'
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`
  if (typeof value !== 'object') return json(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `${json(key)}: ${python(one)}`)
    .join(', ')}}`
}
const pythonCall = ({ name, arguments: given }: ToolCallData) =>
  `${name}(${Object.entries(given)
    .map(([key, value]) => `${key}=${python(value)}`)
    .join(', ')})`

const xmlFunction = ({ name, arguments: given }: ToolCallData) =>
  [
    `<function=${name}>`,
    ...Object.entries(given).map(([key, value]) => `<parameter=${key}>\n${plain(value)}\n</parameter>`),
    '</function>',
  ].join('\n')

const invoke = ({ name, arguments: given }: ToolCallData) =>
  [
    `<invoke name="${name}">`,
    ...Object.entries(given).map(([key, value]) => `<parameter name="${key}">${plain(value)}</parameter>`),
    '</invoke>',
  ].join('\n')

const dsmlInvoke = ({ name, arguments: given }: ToolCallData) =>
  [
    `<｜DSML｜invoke name="${name}">`,
    ...Object.entries(given).map(
      ([key, value]) =>
        `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">${plain(value)}</｜DSML｜parameter>`,
    ),
    '</｜DSML｜invoke>',
  ].join('\n')

/** Every notation, as its model writes it. */
export const notations: readonly Notation[] = [
  {
    name: 'hermes',
    family: 'Hermes, Qwen',
    evidence: `${vllm}/hermes_tool_parser.py`,
    write: (calls) => each(calls, (call) => `<tool_call>\n${spaced(named(call))}\n</tool_call>`, '\n'),
  },
  {
    name: 'hermes without line breaks',
    family: 'Hermes, Qwen',
    evidence: `${sglang}/qwen25_detector.py; aaif-goose/goose#3748`,
    write: (calls) => each(calls, (call) => `<tool_call>${json(named(call))}</tool_call>`),
  },
  {
    name: 'qwen-coder',
    family: 'Qwen-coder',
    evidence: `${vllm}/qwen3coder_tool_parser.py`,
    isJson: false,
    write: (calls) => each(calls, (call) => `<tool_call>\n${xmlFunction(call)}\n</tool_call>`, '\n'),
  },
  {
    name: 'qwen-coder without its outer tag',
    family: 'Qwen-coder',
    evidence: `${vllm}/qwen3coder_tool_parser.py; vllm-project/vllm#21571`,
    isJson: false,
    write: (calls) => each(calls, xmlFunction, '\n'),
  },
  {
    name: 'mistral list',
    family: 'Mistral',
    evidence: `${vllm}/mistral_tool_parser.py`,
    write: (calls) => `[TOOL_CALLS]${spaced(calls.map(named))}`,
  },
  {
    name: 'mistral names',
    family: 'Mistral',
    evidence: `${sglang}/mistral_detector.py`,
    write: (calls) => each(calls, (call) => `[TOOL_CALLS]${call.name}[ARGS]${spaced(call.arguments)}`),
  },
  {
    name: 'llama python tag',
    family: 'Llama 3',
    evidence: `${vllm}/llama_tool_parser.py`,
    write: (calls) =>
      `<|python_tag|>${each(calls, (call) => spaced({ name: call.name, parameters: call.arguments }), '; ')}`,
  },
  {
    name: 'llama built-in tools',
    family: 'Llama 3',
    evidence: 'meta-llama/llama-models; ggml-org/llama.cpp common/chat-parser.cpp',
    isJson: false,
    isSingle: true,
    write: (calls) =>
      `<|python_tag|>${each(calls, (call) => pythonCall({ ...call, name: `${call.name}.call` }))}`,
  },
  {
    name: 'llama bare',
    family: 'Llama 3',
    evidence: `${sglang}/llama32_detector.py`,
    write: (calls) => each(calls, (call) => spaced({ name: call.name, parameters: call.arguments }), ';'),
  },
  {
    name: 'pythonic',
    family: 'Llama 4',
    evidence: `${vllm}/pythonic_tool_parser.py`,
    isJson: false,
    write: (calls) => `[${each(calls, pythonCall, ', ')}]`,
  },
  {
    name: 'llama 4 tags',
    family: 'Llama 4',
    evidence: `${vllm}/llama4_pythonic_tool_parser.py`,
    isJson: false,
    write: (calls) => `<|python_start|>[${each(calls, pythonCall, ', ')}]<|python_end|>`,
  },
  {
    name: 'deepseek V3',
    family: 'DeepSeek',
    evidence: `${vllm}/deepseekv3_tool_parser.py`,
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${each(
        calls,
        (call) =>
          `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${json(call.arguments)}\n\`\`\`<｜tool▁call▁end｜>`,
        '\n',
      )}<｜tool▁calls▁end｜>`,
  },
  {
    name: 'deepseek V3.1',
    family: 'DeepSeek',
    evidence: `${vllm}/deepseekv31_tool_parser.py`,
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${each(
        calls,
        (call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${json(call.arguments)}<｜tool▁call▁end｜>`,
      )}<｜tool▁calls▁end｜>`,
  },
  {
    name: 'deepseek R1 of llama.cpp',
    family: 'DeepSeek',
    evidence: 'ggml-org/llama.cpp common/chat-parser.cpp',
    write: (calls) =>
      `<｜tool_calls_begin｜>${each(
        calls,
        (call) =>
          `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${json(call.arguments)}\n\`\`\`<｜tool▁call▁end｜>`,
      )}<｜tool▁calls▁end｜>`,
  },
  {
    name: 'deepseek DSML',
    family: 'DeepSeek',
    evidence: `${sglang}/deepseekv32_detector.py`,
    isJson: false,
    write: (calls) => `<｜DSML｜function_calls>\n${each(calls, dsmlInvoke, '\n')}\n</｜DSML｜function_calls>`,
  },
  {
    name: 'harmony',
    family: 'harmony',
    evidence: `${sglang}/gpt_oss_detector.py`,
    isSingle: true,
    reasoning: ['<|channel|>analysis<|message|>', '<|end|>'],
    afterReasoning: '<|start|>assistant',
    write: (calls) =>
      each(
        calls,
        (call) =>
          `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${json(call.arguments)}<|call|>`,
      ),
  },
  {
    name: 'command-r',
    family: 'Command-R',
    evidence: `${vllm}/command_tool_parser.py; ${sglang}/cohere_command4_detector.py`,
    reasoning: ['<|START_THINKING|>', '<|END_THINKING|>'],
    write: (calls) =>
      `<|START_ACTION|>[\n${each(
        calls,
        (call, n) =>
          `    ${spaced({ tool_call_id: String(n), tool_name: call.name, parameters: call.arguments })}`,
        ',\n',
      )}\n]<|END_ACTION|>`,
  },
  {
    name: 'glm',
    family: 'GLM',
    evidence: `${vllm}/glm4_moe_tool_parser.py`,
    isJson: false,
    write: (calls) =>
      each(
        calls,
        (call) =>
          `<tool_call>${call.name}\n${Object.entries(call.arguments)
            .map(([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${plain(value)}</arg_value>\n`)
            .join('')}</tool_call>`,
        '\n',
      ),
  },
  {
    name: 'kimi',
    family: 'Kimi K2',
    evidence: `${vllm}/kimi_k2_tool_parser.py`,
    write: (calls) =>
      `<|tool_calls_section_begin|>${each(
        calls,
        (call, n) =>
          `<|tool_call_begin|>functions.${call.name}:${n}<|tool_call_argument_begin|>${json(call.arguments)}<|tool_call_end|>`,
      )}<|tool_calls_section_end|>`,
  },
  {
    name: 'granite',
    family: 'Granite',
    evidence: `${vllm}/granite_tool_parser.py`,
    write: (calls) => `<|tool_call|>${spaced(calls.map(named))}`,
  },
  {
    name: 'granite 3.1',
    family: 'Granite',
    evidence: `${vllm}/granite_tool_parser.py`,
    write: (calls) => `<tool_call>${json(calls.map(named))}`,
  },
  {
    name: 'bare object',
    family: 'JSON',
    evidence: 'ollama/ollama#11185; jundot/omlx#2565',
    isSingle: true,
    write: (calls) => each(calls, (call) => json(named(call))),
  },
  {
    name: 'bare list',
    family: 'JSON',
    evidence: `${sglang}/json_array_parser.py; ${vllm}/xlam_tool_parser.py`,
    write: (calls) => JSON.stringify(calls.map(named), null, 2),
  },
  {
    name: 'fence',
    family: 'JSON',
    evidence: `${vllm}/xlam_tool_parser.py; ollama/ollama-vscode#20`,
    write: (calls) => `\`\`\`json\n${JSON.stringify(calls.map(named), null, 2)}\n\`\`\``,
  },
  {
    name: 'minimax',
    family: 'MiniMax',
    evidence: `${vllm}/minimax_m2_tool_parser.py`,
    isJson: false,
    write: (calls) => `<minimax:tool_call>\n${each(calls, invoke, '\n')}\n</minimax:tool_call>`,
  },
  {
    name: 'phi',
    family: 'Phi-4',
    evidence: `${vllm}/phi4mini_tool_parser.py`,
    write: (calls) => `functools${json(calls.map(named))}`,
  },
]
