import {
  type CheckedServer,
  CheckFailed,
  CheckSkipped,
  type Finding,
  type ServerCheck,
} from './server-check.js'
import { errorChecks } from './server-checks/errors.js'
import { followUpChecks } from './server-checks/follow-ups.js'
import { plainChecks } from './server-checks/plain.js'
import { streamedChecks } from './server-checks/streamed.js'

/** What a client may rely on, check by check. */
export const serverChecks: readonly ServerCheck[] = [
  ...plainChecks,
  ...streamedChecks,
  ...followUpChecks,
  ...errorChecks,
]

/** Runs every check, one after the other, and reports each as it ends. */
export async function checkServer(
  server: CheckedServer,
  onFinding: (finding: Finding) => void = () => {},
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const check of serverChecks) {
    const finding = await runCheck(check, server)
    findings.push(finding)
    onFinding(finding)
  }
  return findings
}

/** Runs one check. */
export async function runCheck(check: ServerCheck, server: CheckedServer): Promise<Finding> {
  try {
    await check.run(server)
    return { check, kind: 'ok' }
  } catch (error) {
    if (error instanceof CheckSkipped) return { check, kind: 'skipped', why: error.message }
    if (error instanceof CheckFailed) return { check, kind: 'failed', seen: error.message }
    throw error
  }
}

/** One line about a check. */
export function toReport(finding: Finding): string {
  const line = `${finding.kind.padEnd(8)}${finding.check.title}`
  if (finding.kind === 'failed') return `${line}: ${finding.seen}`
  return finding.kind === 'skipped' ? `${line}: ${finding.why}` : line
}
