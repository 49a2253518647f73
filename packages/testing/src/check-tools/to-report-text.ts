import type { ToolFinding, ToolReport } from './finding.js'

/** A report as plain text for a terminal, its last line a summary. Signs that would steer a terminal are written out. */
export function toReportText({ findings, tokens }: ToolReport): string {
  const count = (level: string) => findings.filter((one) => one.level === level).length
  const counts = [
    many(count('error'), 'error'),
    many(count('warning'), 'warning'),
    many(count('info'), 'hint'),
  ]
  const summary = `${counts.join(', ')}. The tools cost about ${tokens} tokens in every request.`
  return [...findings.map(toLines), summary].join('\n')
}

function toLines({ level, rule, tool = 'all tools', path, message, fix }: ToolFinding): string {
  const place = path === undefined ? tool : `${tool}: ${path}`
  const lines = [`${level.padEnd(7)} ${place} (${rule})`, `  ${message}`, `  ${fix}`]
  // Names of parameters are anybody's words.
  return lines.map((line) => line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, written)).join('\n')
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function written(sign: string): string {
  return `\\u{${sign.codePointAt(0)?.toString(16)}}`
}
