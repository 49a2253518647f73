// Describes agents and tools as plain JSON, for the studio's process.

import type { AnyAgent, AnyTool, ToolDefinition } from '@capstan/core'
import { estimateTools } from '@capstan/core/internal'
import { checkTools, type FindingLevel, inspectAgent, type ToolReport } from '@capstan/testing'
import type { LoadedFile } from '../runtime/protocol.js'
import type { AgentAnswer, ToolInfo } from '../types.js'
import type { AgentExports, ExportedTool } from './agent-exports.js'

export function describeExports({ agents, exportNames, tools, durable, settings }: AgentExports): LoadedFile {
  const answers = Object.fromEntries([...agents].map(([name, agent]) => [name, describeAgent(name, agent)]))
  return {
    agents: Object.entries(answers).map(([name, { agent, report }]) => ({
      name,
      model: agent.model.name,
      tools: agent.tools.length,
      findings: countFindings(report),
    })),
    answers,
    exportNames: Object.fromEntries(exportNames),
    tools: describeTools([...tools.values()]),
    durable: [...durable.values()].map(({ name, list }) => ({ name, canList: list !== undefined })),
    prompts: (settings.prompts ?? []).filter((prompt) => typeof prompt === 'string'),
  }
}

function countFindings({ findings }: ToolReport): Readonly<Record<FindingLevel, number>> {
  const counts = { error: 0, warning: 0, info: 0 }
  for (const { level } of findings) counts[level] += 1
  return counts
}

function describeAgent(name: string, agent: AnyAgent): AgentAnswer {
  return { agent: { ...inspectAgent(agent), name }, report: checkTools(agent.tools) }
}

function describeTools(tools: readonly ExportedTool[]): readonly ToolInfo[] {
  const { findings } = checkTools(tools.map(({ tool }) => tool))
  return tools.map(({ tool, agents }) => ({
    definition: toData<ToolDefinition>(tool.definition),
    agents,
    settings: describeSettings(tool),
    tokens: estimateTools([tool.definition]),
    findings: findings.filter((finding) => finding.tool === tool.name),
    examples: [],
    hasFunction: tool.execute !== undefined,
  }))
}

function describeSettings({ settings = {} }: AnyTool): ToolInfo['settings'] {
  const { effects, needsApproval = false, timeoutMs, untrusted, show, returnDirect } = settings
  return {
    effects: effects === 'read' ? 'read' : effects === undefined ? 'unknown' : 'writes',
    needsApproval: typeof needsApproval === 'function' ? 'depends' : needsApproval,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(untrusted === undefined ? {} : { untrusted }),
    ...(show === undefined ? {} : { show }),
    ...(returnDirect === undefined ? {} : { returnDirect }),
  }
}

/** Returns a value as plain JSON, because functions and the like cannot be sent to another process. */
function toData<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
