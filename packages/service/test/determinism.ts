// Prints a hash for each of many images and sounds. With `--with NODE` it also runs under that other Node,
// and fails when a hash differs.
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { pictureHashes } from '../../painter/test/picture-hashes.js'
import { speechHashes } from '../../speech/test/speech-hashes.js'

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { with: { type: 'string' } } })
  const own = { ...(await pictureHashes()), ...(await speechHashes()) }
  if (!values.with) {
    console.log(JSON.stringify(own, null, 2))
    return
  }
  const version = execFileSync(values.with, ['--version'], { encoding: 'utf8' }).trim()
  const other: Record<string, string> = JSON.parse(runWith(values.with))
  const names = [...new Set([...Object.keys(own), ...Object.keys(other)])]
  const differing = names.filter((name) => own[name as keyof typeof own] !== other[name])
  for (const name of differing) console.log(`differs: ${name}`)
  console.log(
    `${names.length - differing.length} of ${names.length} hashes are the same on ${process.version} and ${version}`,
  )
  if (differing.length > 0 || names.length === 0) process.exitCode = 1
}

function runWith(node: string): string {
  const script = process.argv[1] ?? ''
  const args = ['--conditions=development', '--import=tsx', script]
  return execFileSync(node, args, { encoding: 'utf8', maxBuffer: 1 << 24 })
}

main()
