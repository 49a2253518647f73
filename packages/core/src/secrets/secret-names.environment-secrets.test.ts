import { afterEach, expect, test } from 'vitest'
import { environmentSecrets } from './secret-names.js'

const own = { ...process.env }

afterEach(() => {
  process.env = { ...own }
})

/** What is a secret of an environment with this one variable. */
function secretsWith(name: string, value: string): readonly string[] {
  process.env = { [name]: value }
  return environmentSecrets()
}

test.each([
  ['AWS_SECRET_ACCESS_KEY', '/wJalrXUtnFEMIK7MDENGbPxRfiCYzK9/q7Zr+4k'],
  ['AZURE_CLIENT_SECRET', '~Qx8Q~abcdefghijklmnop'],
  ['DOT_TOKEN', '.abcDEF123456xyz'],
  ['DB_PASSWORD', '8412093345'],
  ['PGPASS', 'value-123456'],
  ['DB_PASS', 'value-123456'],
  ['DB_PWD', 'value-123456'],
  ['SERVICE_TOKEN', 'https://a.test/hook?sig=0123456789ab'],
])('%s=%s is a secret', (name, value) => {
  expect(secretsWith(name, value)).toEqual([value])
})

test.each([
  ['SSH_AUTH_SOCK', '/tmp/ssh-XXab12CD/agent.1234'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '/Users/bo/Keys/prod-1234.json'],
  ['TLS_PRIVATE_KEY', './certificates/key.pem'],
  ['TLS_KEY', '~/.ssh/id_ed25519'],
  ['TLS_KEY', 'C:\\Users\\bo\\key.pem'],
  ['TOKEN_SECONDS', '31536000'],
  ['KEY_ADDRESS', '10.20.30.40'],
  ['AUTH_PROVIDER', 'documents'],
  ['COOKIE_DOMAIN', 'example.com'],
  ['TOKEN_STORE', 'redis://cache.internal:6379'],
  ['BYPASS_CACHE', 'everything'],
  ['OLDPWD', 'somewhere-else'],
  ['AUTHOR', 'Bo Ericsson'],
])('%s=%s is not a secret', (name, value) => {
  expect(secretsWith(name, value)).toEqual([])
})

test.each([
  ['mongodb://u:mongoPass77x@a.example:1,b.example:2/db?x=1', 'mongoPass77x'],
  ['redis://:onlypassword99@cache:6379', 'onlypassword99'],
  ['jdbc:postgresql://app:p%40ssw0rdxyz@db/x', 'p@ssw0rdxyz'],
  ['redis://:firstpassword@a:1,redis://:otherpassword@b:1', 'otherpassword'],
])('returns the password of an address only: %s', (address, password) => {
  const secrets = secretsWith('SOME_DSN', address)
  expect(secrets).toContain(password)
  expect(secrets).not.toContain(address)
})
