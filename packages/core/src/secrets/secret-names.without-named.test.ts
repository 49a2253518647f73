import { expect, test } from 'vitest'
import { withoutNamed } from './secret-names.js'

test.each([
  ['Authorization: Negotiate YIIZticketA1b2', 'Authorization: [redacted]'],
  ['Authorization: Key fal0keyA1b2', 'Authorization: [redacted]'],
  ['Authorization: Bot MTA5botA1b2', 'Authorization: [redacted]'],
  ['Authorization: SSWS 00oktaA1b2', 'Authorization: [redacted]'],
  ['Authorization: Custom opaque-words', 'Authorization: [redacted]'],
  ['Authorization: Token token="tok1", x=2\r\nage: 7', 'Authorization: [redacted]\r\nage: 7'],
  [
    'Authorization: AWS4-HMAC-SHA256 Credential=AKIA/2026/s3/aws4_request, SignedHeaders=host;date, Signature=fe5f80',
    'Authorization: [redacted]',
  ],
  ['Authorization: Digest username="bo", realm="x, y", response="6629"', 'Authorization: [redacted]'],
  [
    'curl -H \'Authorization: Digest a="b", response="6629"\' -X GET',
    "curl -H 'Authorization: [redacted]' -X GET",
  ],
  ['got authorization: Bearer opaque-word and went on', 'got authorization: [redacted] and went on'],
  ['"authorization: Negotiate YIIabc\\r\\nage: 7"', '"authorization: [redacted]\\r\\nage: 7"'],
  ['x\\nauthorization: Bearer opaque', 'x\\nauthorization: [redacted]'],
  ['authorization:\r\n Bearer opaque', 'authorization:\r\n [redacted]'],
  ['HTTP_AUTHORIZATION=Bearer opaque', 'HTTP_AUTHORIZATION=[redacted]'],
])('hides credentials with their scheme: %s', (text, shown) => {
  expect(withoutNamed(text)).toBe(shown)
})

test.each([
  ['Cookie: a=1; b=; session=S1\nage: 7', 'Cookie: [redacted]\nage: 7'],
  ['Cookie: a="1"; session=S1', 'Cookie: [redacted]'],
  ['Cookie: x[y]=2; session=S1', 'Cookie: [redacted]'],
  ['Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=S1', 'Set-Cookie: [redacted]'],
  ["curl -H 'Cookie: a=1; session=S1' https://x", "curl -H 'Cookie: [redacted]' https://x"],
  ['curl -H "Cookie: a=1; session=S1" -H "Age: 7"', 'curl -H "Cookie: [redacted]" -H "Age: 7"'],
  ['got {"set-cookie":["a=S1","b=S2"],"age":7}', 'got {"set-cookie":["[redacted]","[redacted]"],"age":7}'],
])('hides cookies to their end: %s', (text, shown) => {
  expect(withoutNamed(text)).toBe(shown)
})

test.each([
  ['DB_PASSWORD=S1', 'DB_PASSWORD=[redacted]'],
  ['aws_secret_access_key = S1', 'aws_secret_access_key = [redacted]'],
  ['export STRIPE_API_KEY="S1"', 'export STRIPE_API_KEY="[redacted]"'],
  ['X-Vault-Token: S1', 'X-Vault-Token: [redacted]'],
  ['spring.datasource.password=S1', 'spring.datasource.password=[redacted]'],
  ['"password"=>"S1"', '"password"=>"[redacted]"'],
  ['--password=S1 --user bo', '--password=[redacted] --user bo'],
  ['see {"dbPassword": "S1"}', 'see {"dbPassword": "[redacted]"}'],
  ['see {"X_API_KEY":\'S1\'}', 'see {"X_API_KEY":\'[redacted]\'}'],
  ['https://x/cb#access_token=S1&x=1', 'https://x/cb#access_token=[redacted]&x=1'],
  ['token: S1, jwt=S1', 'token: [redacted], jwt=[redacted]'],
  ['https://x/blob?sv=2024&sig=S1%2B&se=1', 'https://x/blob?sv=2024&sig=[redacted]&se=1'],
  ['?X-Amz-Credential=S1&X-Amz-Signature=S1', '?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]'],
  ['Server=db;UID=sa;PWD=S1;', 'Server=db;UID=sa;PWD=[redacted];'],
  ['https://bob:S1@host/x', 'https://bob:[redacted]@host/x'],
  [
    '-----BEGIN PRIVATE KEY-----\nMC4CAQAw\n-----END PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----',
  ],
])('under names with something before them, and in other writings, it is hidden: %s', (text, shown) => {
  expect(withoutNamed(text)).toBe(shown)
})

test.each([
  ['see {"password":"ab\\"tail","x":"y"}', 'see {"password":"[redacted]","x":"y"}'],
  ['see {"password":"ab\\\\","x":"y"}', 'see {"password":"[redacted]","x":"y"}'],
  ['see {\\"password\\":\\"ab\\\\\\"tail\\",\\"x\\":1}', 'see {\\"password\\":\\"[redacted]\\",\\"x\\":1}'],
  ['see {\\"password\\":\\"ab\\\\\\\\\\",\\"x\\":1}', 'see {\\"password\\":\\"[redacted]\\",\\"x\\":1}'],
  ['see {"password":12345678,"x":1}', 'see {"password":"[redacted]","x":1}'],
  ['cut: {"x":1,"password":"hunt', 'cut: {"x":1,"password":"[redacted]'],
])('in quotes it is hidden to their end, whatever is escaped in them: %s', (text, shown) => {
  expect(withoutNamed(text)).toBe(shown)
})

test.each([
  'see {"password":null,"api_key":true,"cookie":[],"authorization":{},"secret_key":""}',
  'interface Login { password: string; apiKey?: string }',
  'A cookie: half of it is butter.',
  'token: expected string, received number; secret: must be longer; password: missing; otp: invalid',
  'The password must be told to nobody; passwords are words.',
  'forgot_password=page_3, "resetPassword": "Click here"',
  'prior_authorization: approved',
  'next_page_token=abc123, max_tokens: 5, total_tokens: 12',
  'https://example.com:8080/a@b and mailto:bo@example.com',
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2Vw\n-----END PUBLIC KEY-----',
  'PWD=/home/bo OLDPWD=/tmp',
])('keeps text without secrets: %s', (text) => {
  expect(withoutNamed(text)).toBe(text)
})
