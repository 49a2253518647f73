import { eachTool, type ToolRule } from './rule.js'

// What a list of tools costs in every request.

const mostTokens = 1000
const costlyTool = eachTool(
  {
    name: 'costly-tool',
    level: 'warning',
    finds: `a tool whose definition costs more than about ${mostTokens} tokens in every request`,
  },
  ({ tokens }) => {
    if (tokens <= mostTokens) return []
    const message = `Its definition costs about ${tokens} tokens in every request.`
    return [
      { message, fix: 'Shorten descriptions, leave out what hardly anybody sets, or make two tools of it.' },
    ]
  },
)

const usualTokens = 5000
const costlyList: ToolRule = {
  name: 'costly-list',
  level: 'warning',
  finds: `a list that costs more than about ${usualTokens} tokens; an error where \`maxTokens\` is given and passed`,
  check(list, { maxTokens }) {
    const tokens = list.reduce((sum, one) => sum + one.tokens, 0)
    if (tokens <= (maxTokens ?? usualTokens)) return []
    const [dearest] = list.toSorted((one, other) => other.tokens - one.tokens)
    const message = `The list costs about ${tokens} tokens in every request, more than ${maxTokens ?? usualTokens}; the dearest is ${dearest?.name}, ${dearest?.tokens}.`
    const fix = 'Offer fewer at one time (tools in prepareStep), or give them to an agent of their own.'
    return [{ message, fix, ...(maxTokens === undefined ? {} : { level: 'error' }) }]
  },
}

const [many, most] = [20, 128]
const manyTools: ToolRule = {
  name: 'many-tools',
  level: 'warning',
  finds: `more than ${many} tools; an error over ${most}, the bound of common servers`,
  check({ length }) {
    if (length <= many) return []
    const isRefused = length > most
    const why = isRefused ? `servers take ${most}` : `models choose worse among more than ${many}`
    const fix = 'Offer fewer at one time (tools in prepareStep), or give them to agents of their own.'
    return [{ message: `There are ${length} tools: ${why}.`, fix, ...(isRefused ? { level: 'error' } : {}) }]
  },
}

export const costRules: readonly ToolRule[] = [costlyTool, costlyList, manyTools]
