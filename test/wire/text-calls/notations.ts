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
  /** Whether a call begins with a marker, and may have words beside it. Default true. */
  readonly isMarked?: boolean
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

/** Arguments as Gemma writes them: keys without quotes, texts in a mark of their own. */
const gemma = (value: unknown, mark: string): string => {
  if (typeof value === 'string') return mark + value + mark
  if (Array.isArray(value)) return `[${value.map((one) => gemma(one, mark))}]`
  if (typeof value !== 'object' || value === null) return json(value)
  return `{${Object.entries(value).map(([key, one]) => `${key}:${gemma(one, mark)}`)}}`
}

const m3 = ']<]minimax[>['
/** A value as MiniMax M3 writes it, an element in the other. */
const elements = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return plain(value)
  const entries = Array.isArray(value) ? value.map((one) => ['item', one] as const) : Object.entries(value)
  return entries.map(([key, one]) => `${m3}<${key}>${elements(one)}${m3}</${key}>`).join('')
}

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
    isMarked: false,
    evidence: `${sglang}/llama32_detector.py`,
    write: (calls) => each(calls, (call) => spaced({ name: call.name, parameters: call.arguments }), ';'),
  },
  {
    name: 'pythonic',
    family: 'Llama 4',
    isMarked: false,
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
    isMarked: false,
    evidence: 'ollama/ollama#11185; jundot/omlx#2565',
    isSingle: true,
    write: (calls) => each(calls, (call) => json(named(call))),
  },
  {
    name: 'bare list',
    family: 'JSON',
    isMarked: false,
    evidence: `${sglang}/json_array_parser.py; ${vllm}/xlam_tool_parser.py`,
    write: (calls) => JSON.stringify(calls.map(named), null, 2),
  },
  {
    name: 'fence',
    family: 'JSON',
    isMarked: false,
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
    isMarked: false,
    evidence: `${vllm}/phi4mini_tool_parser.py`,
    write: (calls) => `functools${json(calls.map(named))}`,
  },
  {
    name: 'gemma 4',
    family: 'Gemma',
    evidence: `${vllm}/gemma4_tool_parser.py; ggml-org/llama.cpp models/templates/gemma4.jinja`,
    reasoning: ['<|channel>thought\n', '<channel|>'],
    write: (calls) =>
      each(calls, (call) => `<|tool_call>call:${call.name}${gemma(call.arguments, '<|"|>')}<tool_call|>`),
  },
  {
    name: 'functiongemma',
    family: 'Gemma',
    evidence: `${vllm}/functiongemma_tool_parser.py; ollama/ollama model/renderers/functiongemma.go`,
    write: (calls) =>
      each(
        calls,
        (call) =>
          `<start_function_call>call:${call.name}${gemma(call.arguments, '<escape>')}<end_function_call>`,
      ),
  },
  {
    name: 'olmo 3',
    family: 'OLMo',
    evidence: `${vllm}/olmo3_tool_parser.py`,
    isJson: false,
    write: (calls) => `<function_calls>\n${each(calls, pythonCall, '\n')}\n</function_calls>`,
  },
  {
    name: 'minimax M3',
    family: 'MiniMax',
    evidence: `${sglang}/minimax_m3.py`,
    isJson: false,
    write: (calls) =>
      `${m3}<tool_call>\n${each(
        calls,
        (call) => `${m3}<invoke name="${call.name}">${elements(call.arguments)}${m3}</invoke>\n`,
      )}${m3}</tool_call>`,
  },
  {
    name: 'minimax blocks',
    family: 'MiniMax',
    evidence: `lightseekorg/smg crates/tool_parser/src/parsers/minimax_m2.rs`,
    isJson: false,
    write: (calls) => each(calls, (call) => `<minimax:tool_call>${invoke(call)}</minimax:tool_call>`, '\n'),
  },
  {
    name: 'dots',
    family: 'Dots',
    evidence: `${vllm}/dots_tool_parser.py`,
    isJson: false,
    write: (calls) => `<dots_function_call>\n${each(calls, invoke, '\n')}\n</dots_function_call>`,
  },
  {
    name: 'gigachat 3',
    family: 'GigaChat',
    evidence: `${sglang}/gigachat3_detector.py`,
    write: (calls) =>
      each(calls, (call) => `<|message_sep|>\n\nfunction call<|role_sep|>\n${spaced(named(call))}`),
  },
  {
    name: 'apertus',
    family: 'Apertus',
    evidence: `${vllm}/apertus_tool_parser.py; ${sglang}/apertus2509_detector.py`,
    reasoning: ['<|inner_prefix|>', '<|inner_suffix|>'],
    write: (calls) =>
      `<|tools_prefix|>${spaced(calls.map((call) => ({ [call.name]: call.arguments })))}<|tools_suffix|>`,
  },
  {
    name: 'step 3',
    family: 'Step',
    evidence: `${vllm}/step3_tool_parser.py`,
    isJson: false,
    write: (calls) =>
      `<｜tool_calls_begin｜>\n${each(
        calls,
        (call) =>
          `<｜tool_call_begin｜>function<｜tool_sep｜>${invoke(call).replace(/<(\/?)(invoke|parameter)/g, '<$1steptml:$2')}<｜tool_call_end｜>\n`,
      )}<｜tool_calls_end｜>`,
  },
  {
    name: 'minicpm 5',
    family: 'MiniCPM',
    evidence: `${vllm}/minicpm5xml_tool_parser.py; ${sglang}/minicpm5_detector.py`,
    isJson: false,
    write: (calls) =>
      each(
        calls,
        ({ name, arguments: given }) =>
          `<function name="${name}">${Object.entries(given)
            .map(([key, value]) => `<param name="${key}">${plain(value)}</param>`)
            .join('')}</function>`,
        '\n',
      ),
  },
  {
    name: 'longcat',
    family: 'LongCat',
    evidence: `${vllm}/longcat_tool_parser.py`,
    write: (calls) =>
      each(calls, (call) => `<longcat_tool_call>\n${spaced(named(call))}\n</longcat_tool_call>`, '\n'),
  },
  {
    name: 'longcat pairs',
    family: 'LongCat',
    evidence: 'omlx parsers of LongCat Flash Lite; model card of LongCat-2.0-Preview',
    isJson: false,
    write: (calls) =>
      each(
        calls,
        (call) =>
          `<longcat_tool_call>${call.name}\n${Object.entries(call.arguments)
            .map(
              ([key, value]) =>
                `<longcat_arg_key>${key}</longcat_arg_key>\n<longcat_arg_value>${plain(value)}</longcat_arg_value>\n`,
            )
            .join('')}</longcat_tool_call>`,
        '\n',
      ),
  },
  {
    name: 'internlm',
    family: 'InternLM',
    evidence: `${vllm}/internlm2_tool_parser.py; ${sglang}/internlm_detector.py`,
    write: (calls) =>
      each(
        calls,
        (call) =>
          `<|action_start|> <|plugin|>\n${spaced({ name: call.name, parameters: call.arguments })}<|action_end|>`,
        '\n',
      ),
  },
  {
    name: 'harmony, recipient first',
    family: 'harmony',
    evidence: 'ggml-org/llama.cpp common/chat-parser.cpp; openai/harmony docs/format.md',
    isSingle: true,
    isMarked: false,
    reasoning: ['<|channel|>analysis<|message|>', '<|end|>'],
    afterReasoning: '<|start|>assistant',
    write: (calls) =>
      each(
        calls,
        (call) =>
          ` to=functions.${call.name}<|channel|>commentary <|constrain|>json<|message|>${json(call.arguments)}<|call|>`,
      ),
  },
  {
    name: 'command-r objects',
    family: 'Command-R',
    evidence: 'lightseekorg/smg crates/tool_parser/src/parsers/cohere.rs',
    reasoning: ['<|START_THINKING|>', '<|END_THINKING|>'],
    write: (calls) =>
      each(
        calls,
        (call) =>
          `<|START_ACTION|>\n${spaced({ tool_name: call.name, parameters: call.arguments })}\n<|END_ACTION|>`,
        '\n',
      ),
  },
  {
    name: 'lfm',
    family: 'LFM',
    evidence: `${sglang}/lfm2_detector.py`,
    isJson: false,
    write: (calls) => each(calls, (call) => `<|tool_call_start|>[${pythonCall(call)}]<|tool_call_end|>`),
  },
  {
    name: 'lfm objects',
    family: 'LFM',
    evidence: `${sglang}/lfm2_detector.py`,
    write: (calls) => each(calls, (call) => `<|tool_call_start|>${spaced(named(call))}<|tool_call_end|>`),
  },
  {
    name: 'nemotron',
    family: 'Nemotron',
    evidence: 'ggml-org/llama.cpp common/chat-parser.cpp',
    write: (calls) => `<TOOLCALL>${spaced(calls.map(named))}</TOOLCALL>`,
  },
  {
    name: 'mistral list with an end',
    family: 'Mistral',
    evidence: 'ai-dynamo/dynamo lib/parsers; parser tests of several MLX servers',
    write: (calls) => `[TOOL_CALLS] ${spaced(calls.map(named))} [/TOOL_CALLS]`,
  },
  {
    name: 'llama python tags',
    family: 'Llama 3',
    evidence: 'lightseekorg/smg crates/tool_parser/tests/tool_parser_llama.rs',
    write: (calls) => each(calls, (call) => `<|python_tag|>${spaced(named(call))}`),
  },
]
