// Bodies of Chinese servers and gateways: refusals of a prompt that is too long, and others in words that are alike.

import type { Control } from './controls.js'
import type { Refusal } from './refusals.js'

const error = (message: string, fields: object = {}) => ({ error: { message, ...fields } })
const invalid = (message: string, fields: object = {}) =>
  error(message, { type: 'invalid_request_error', param: null, code: 'invalid_request_error', ...fields })
/** A gateway that passes on no more than a text, with its own numbers. */
const gateway = (message: string) => ({
  error: {
    message: `${message} (request id: 2025101208593217175902998820017)`,
    type: 'one_api_error',
    param: '',
    code: 'bad_response_status_code',
  },
})

export const chineseRefusals: readonly Refusal[] = [
  [
    'DashScope: compatible mode',
    400,
    {
      error: {
        code: 'invalid_parameter_error',
        message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]',
        param: null,
        type: 'invalid_request_error',
      },
      request_id: '81a373d6-28bd-9968-8335-e22a2127c41b',
    },
    983616,
  ],
  [
    'DashScope: its own protocol',
    400,
    {
      code: 'InvalidParameter',
      message: 'Range of input length should be [1, 6000]',
      request_id: '51231234-28bd-9968-8335-e22a2127c41b',
    },
    6000,
  ],
  [
    'DashScope: all messages',
    400,
    { code: 'InvalidParameter', message: 'Total message token length exceed model limit (10000000 tokens).' },
    10000000,
  ],
  ['Zhipu', 400, error('Prompt 超长', { code: '1261' })],
  ['Zhipu: over Messages', 400, { type: 'error', error: { type: '1261', message: 'Prompt 超长' } }],
  [
    'Zhipu: with the code and an id in the text',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: '[1261][Prompt exceeds max length][20250902152412]' },
      request_id: '20250902152412117',
    },
  ],
  [
    'Zhipu: input length',
    400,
    error('Input length 877338 exceeds the maximum allowed input length of 639968 tokens', { code: '400' }),
    639968,
    877338,
  ],
  [
    'Baidu',
    400,
    {
      error: { code: 'tokens_too_long', message: 'Prompt tokens too long', type: 'invalid_request_error' },
      id: 'as-rq8xi6mm81',
    },
  ],
  [
    'Baidu: characters of the input',
    400,
    {
      error: {
        code: 'characters_too_long',
        message: 'the max input characters is 516096',
        type: 'invalid_request_error',
      },
      id: 'as-1700000001',
    },
  ],
  ['Baidu: first generation', 200, { error_code: 336103, error_msg: 'Prompt tokens too long', id: 'as-1' }],
  [
    'Moonshot',
    400,
    error('Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)', {
      type: 'invalid_request_error',
    }),
    262144,
    269030,
  ],
  [
    'DeepSeek',
    400,
    invalid(
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    ),
    131072,
    122942,
  ],
  [
    'Volcengine',
    400,
    error(
      'Total tokens of image and text exceed max message tokens. Request id: 021772413947435240480476416575640187893',
      { code: 'InvalidParameter', param: '', type: 'BadRequest' },
    ),
  ],
  [
    'Volcengine: its code',
    400,
    error('Total tokens of image and text exceed max message tokens.', {
      code: 'OutofContextError',
      type: 'BadRequest',
    }),
  ],
  [
    'SiliconFlow',
    400,
    {
      code: 20015,
      message: 'number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.',
      data: null,
    },
    202752,
    204703,
  ],
  [
    'SiliconFlow: of a small model',
    400,
    {
      code: 20015,
      message: 'number of input tokens (9000) has exceeded max_seq_len (8192) limit.',
      data: null,
    },
    8192,
    9000,
  ],
  [
    'iFlytek',
    200,
    { code: 10907, message: 'token数量超过上限。对话历史+问题的字数太多，需要精简输入', sid: 'cha000b0003' },
  ],
  [
    'iFlytek: compatible mode',
    400,
    error('token数量超过上限。对话历史+问题的字数太多，需要精简输入', { type: 'api_error', code: '10907' }),
  ],
  ['a gateway: too long', 400, gateway('错误：上下文过长，请减少输入')],
  ['a gateway: over the limit', 400, gateway('上下文超出限制')],
  ['a gateway: over the limit of the model', 500, gateway('上下文长度超出模型最大限制')],
  ['a gateway: over the longest context', 400, gateway('超出最大上下文长度')],
  ['a gateway: compact it', 413, gateway('请压缩上下文后重试')],
  ['a gateway: the input', 400, gateway('输入内容过长，超过模型上下文长度限制')],
  ['a gateway: tokens of the input', 400, gateway('输入 tokens 数超过模型最大长度，请缩短输入')],
  ['a gateway: with numbers', 400, gateway('输入长度 140123 超过模型最大上下文长度 131072'), 131072, 140123],
]

export const chineseControls: readonly Control[] = [
  ['Zhipu: rate', 429, error('您的账户已达到速率限制，请您控制请求频率', { code: '1302' }), 'rate_limit'],
  [
    'Zhipu: rate, with status 400',
    400,
    error('您当前使用该 API 的频率过高，请降低频率，或联系客服增加限额', { code: '1303' }),
    'invalid_request',
  ],
  [
    'Zhipu: use of a plan',
    429,
    error('已达到 5 小时的使用上限。您的限额将在 2025-10-12 08:59:32 重置。', { code: '1308' }),
    'rate_limit',
  ],
  ['Zhipu: calls of a day', 400, error('该 API 已达今日调用次数限额', { code: '1304' }), 'invalid_request'],
  ['Zhipu: a field', 400, error('max_tokens 参数非法。请检查文档', { code: '1214' }), 'invalid_request'],
  ['Zhipu: parameters', 400, error('API 调用参数有误，请检查文档', { code: '1210' }), 'invalid_request'],
  [
    'Zhipu: unsafe input',
    400,
    error('系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语', {
      code: '1301',
    }),
    'invalid_request',
  ],
  [
    'DashScope: max_tokens',
    400,
    invalid('<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]', {
      code: 'invalid_parameter_error',
    }),
    'invalid_request',
  ],
  [
    'DashScope: thinking_budget',
    400,
    invalid('The thinking_budget parameter must be a positive integer and not greater than 38912'),
    'invalid_request',
  ],
  [
    'DashScope: rate of tokens',
    429,
    {
      code: 'Throttling.AllocationQuota',
      message: 'Allocated quota exceeded, please increase your quota limit.',
    },
    'rate_limit',
  ],
  [
    'DashScope: a large file',
    400,
    { code: 'InvalidParameter', message: 'Exceeded limit on max bytes per data-uri item : 10485760' },
    'invalid_request',
  ],
  [
    'Baidu: tokens a minute',
    429,
    {
      error: {
        code: 'tpm_rate_limit_exceeded',
        message: 'Rate limit reached for TPM',
        type: 'rate_limit_exceeded',
      },
    },
    'rate_limit',
  ],
  [
    'Volcengine: tokens a minute',
    429,
    error(
      'The Tokens Per Minute (TPM) limit of the associated endpoint for your account has been exceeded. Request ID: 0217724139474352',
      { code: 'RateLimitExceeded.EndpointTPMExceeded', type: 'TooManyRequests' },
    ),
    'rate_limit',
  ],
  [
    'Volcengine: unsafe input',
    400,
    error('The request could not be processed because the input text includes sensitive content.', {
      code: 'InputTextRiskDetection',
      type: 'BadRequest',
    }),
    'invalid_request',
  ],
  [
    'Volcengine: a large image',
    400,
    error('The request failed because the size of the input image exceeds the limit.', {
      code: 'InvalidParameter.OversizedImage',
    }),
    'invalid_request',
  ],
  [
    'iFlytek: calls of a second',
    400,
    { code: 11202, message: '授权错误：秒级流控超限。秒级并发超过授权路数限制', sid: 'cha1' },
    'invalid_request',
  ],
  ['a gateway: tokens a minute', 400, gateway('每分钟输入 token 数超过限制，请稍后重试'), 'invalid_request'],
  ['a gateway: tokens of today', 400, gateway('今日 token 用量超过上限'), 'invalid_request'],
  ['a gateway: rate', 400, gateway('请求频率超过限制：输入 tokens 过快'), 'invalid_request'],
  ['a gateway: quota', 400, gateway('令牌额度不足：输入 token 超过剩余额度'), 'invalid_request'],
  ['a gateway: max_tokens', 400, gateway('max_tokens 超过模型最大输出长度 8192'), 'invalid_request'],
  ['a gateway: the output', 400, gateway('输出 token 数超过模型的最大输出长度'), 'invalid_request'],
  ['a gateway: an image', 400, gateway('输入图片大小超过 10 MB 的限制'), 'invalid_request'],
  ['a gateway: a file', 413, gateway('输入文件过大，超出限制'), 'invalid_request'],
  ['a gateway: characters of a field', 400, gateway('输入的名称长度超过 64 个字符'), 'invalid_request'],
]
