import { checkTools, type ToolFinding, toReportText } from '@capstan/testing'
import { command } from '../args.js'
import { exitCodes, UsageError } from '../exit-codes.js'
import { sanitizeText } from '../format.js'
import { deferredIn, findSkills, findTools, loadFile, type SkillReport, toolsIn } from '../load-file.js'
import { openTerminal } from '../terminal.js'

/** `capstan check`: checks a file's tools and skills for common problems. */
export const check = command({
  name: 'check',
  usage: 'FILE',
  summary: "checks a file's tools and skills for common problems",
  details: 'The exit code is 1 if there is an error.',
  positionals: { least: 1, most: 1 },
  flags: {
    json: { type: 'boolean', description: 'print the report as JSON' },
    off: { type: 'string', valueName: 'RULE', multiple: true, description: 'skip this rule' },
    'max-tokens': {
      type: 'string',
      valueName: 'N',
      description: 'report an error if the tool list takes more tokens',
    },
    strict: { type: 'boolean', description: 'treat warnings as errors' },
  },
  async run({ positionals: [file = ''], flags }) {
    openTerminal(flags['no-color'])
    const exports = await loadFile(file)
    const reports = findSkills(exports)
    const tools = reports.length > 0 ? toolsIn(exports) : findTools(exports, file)
    const { off = [], strict = false } = flags
    const checked = checkTools(tools, {
      off: off.filter((rule) => !skillRules.includes(rule)),
      warningsAsErrors: strict,
      deferred: deferredIn(exports),
      ...parseMaxTokens(flags['max-tokens']),
    })
    const ofSkills = reports
      .flatMap((one) => toFindings(one, strict ? 'error' : 'warning'))
      .filter(({ rule }) => !off.includes(rule))
    const findings = [...checked.findings, ...ofSkills]
    const report = { ...checked, findings, ok: findings.every(({ level }) => level !== 'error') }
    const text = flags.json ? JSON.stringify(report, null, 2) : toReportText(report)
    process.stdout.write(`${sanitizeText(text)}\n`)
    return report.ok ? exitCodes.done : exitCodes.error
  },
})

const skillRules = [
  'skipped-skill',
  'skill-name',
  'skill-description',
  'skill-allowed-tools',
  'skill-front-matter',
]

function toFindings({ skipped, findings }: SkillReport, level: ToolFinding['level']): readonly ToolFinding[] {
  const skip = { level, rule: 'skipped-skill', fix: 'Fix it, or remove it: agents do not load it.' }
  const used = 'It is used anyway. Write it as agentskills.io specifies.'
  return [
    ...skipped.map(({ name, reason }) => ({
      ...skip,
      tool: `skill ${name}`,
      message: `Skipped: ${reason}.`,
    })),
    ...findings.map(({ skill, rule, message }) => {
      return { level, rule: `skill-${rule}`, tool: `skill ${skill}`, message, fix: used }
    }),
  ]
}

function parseMaxTokens(given: string | undefined): { readonly maxTokens?: number } {
  if (given === undefined) return {}
  if (!/^[1-9]\d*$/.test(given))
    throw new UsageError(`--max-tokens must be a number above 0, not "${given}".`)
  return { maxTokens: Number(given) }
}
