/** An error message that contains a credential, the credential, and the text that must remain. */
export type LeakyMessage = readonly [message: string, secret: string, ...remains: string[]]

/** What the environment holds while these are tried. */
export const environment = {
  WAREHOUSE_API_KEY: 'whk-7781-alpha-omega-3321',
  CRM_PASSWORD: 'Tr0ub4dor&3-horse',
  ORDERS_DSN: 'postgres://orders:0rd3rs-s3cret@db.internal/orders',
}

const jwt =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
const pem = 'MIIEpAIBAAKCAQEA7bq1Zx0p9vQ2'

// Written in parts: scanners of sources take whole ones for real.
const github = `ghp_${'16C7e42F292c6912E7710c838347Ae178B4a'}`
const openai = `sk-proj-${'Ab3dEf6hIj9kLmN0pQr5tUvWxYz12345'}`
const aws = `AKIA${'IOSFODNN7EXAMPLE'}`
const awsSecret = `wJalrXUtnFEMI/${'K7MDENG/bPxRfiCYEXAMPLEKEY'}`
const google = `AIza${'SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY'}`
const slack = `xoxb-${'2048-1734-aBcDeFgHiJkLmNoPqRsTuVwX'}`
const stripe = `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`
const gitlab = `glpat-${'x7Gh2kLmNpQrStUvWx9z'}`
const npm = `npm_${'aB3dEf6hIj9kLmN0pQr5tUvWxYz123456789'}`
const sendgrid = `SG.${'ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr'}`
const huggingface = `hf_${'aBcDeFgHiJkLmNoPqRsT1234'}`
const googleToken = `ya29.${'a0AfH6SMBx7kQpZ2mV9tR4wE8yU1iO3pL5k'}`
const digitalocean = `dop_v1_${'9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'}`
const pypi = `pypi-${'AgEIcHlwaS5vcmcCJDU0ZjE2M2Y4LTk3'}`

export const leakyMessages: readonly LeakyMessage[] = [
  // Values of the environment.
  [
    'Request with whk-7781-alpha-omega-3321 was refused by the warehouse.',
    environment.WAREHOUSE_API_KEY,
    'Request with',
    'was refused by the warehouse.',
  ],
  [
    'Login failed for crm using "Tr0ub4dor&3-horse" (3 attempts left)',
    environment.CRM_PASSWORD,
    'Login failed for crm using',
    '(3 attempts left)',
  ],
  [
    'GET /stock?q=1&k=whk-7781-alpha-omega-3321 returned 403',
    environment.WAREHOUSE_API_KEY,
    'GET /stock?q=1',
    'returned 403',
  ],
  [
    'pq: authentication of orders with 0rd3rs-s3cret failed',
    '0rd3rs-s3cret',
    'pq: authentication of orders with',
    'failed',
  ],
  [
    `Header was ${btoa('x:Tr0ub4dor&3-horse')}, which the server does not take`,
    btoa('x:Tr0ub4dor&3-horse'),
    'which the server does not take',
  ],
  // Passwords in addresses.
  [
    'connect ECONNREFUSED postgres://app:s3cr3t-pw@10.0.0.7:5432/shop',
    's3cr3t-pw',
    'connect ECONNREFUSED postgres://app:',
    '@10.0.0.7:5432/shop',
  ],
  [
    'MongoServerError: cannot reach mongodb+srv://root:hunter2hunter@cluster0.abc.mongodb.net/db',
    'hunter2hunter',
    'MongoServerError: cannot reach',
    '@cluster0.abc.mongodb.net/db',
  ],
  [
    'ReplyError: WRONGPASS at redis://:r3d1spass@cache:6379/0',
    'r3d1spass',
    'ReplyError: WRONGPASS at redis://',
    '@cache:6379/0',
  ],
  [
    'fetch https://deploy:glue%40stick@git.example.com/repo.git: exit 128',
    'glue%40stick',
    'fetch https://deploy:',
    '@git.example.com/repo.git: exit 128',
  ],
  ['amqp://guest:pa/ss/word9@mq:5672 closed the channel', 'pa/ss/word9', '@mq:5672 closed the channel'],
  ['Error: mysql://admin:p@ss@word1@db.host/app: access denied', 'p@ss@word1', '@db.host/app: access denied'],
  [
    'sftp://backup:Zx81-spectrum#1@nas.local/vol timed out after 30 s',
    'Zx81-spectrum#1',
    '@nas.local/vol timed out after 30 s',
  ],
  [
    'Both mongodb://a:first-pass@h1 and mongodb://b:second-pass@h2 are down',
    'first-pass',
    '@h1 and mongodb://b:',
    '@h2 are down',
  ],
  ['Both mongodb://a:first-pass@h1 and mongodb://b:second-pass@h2 are down', 'second-pass', '@h2 are down'],
  [
    'sentry: https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/42 rejected the event',
    '0123456789abcdef0123456789abcdef',
    '@o1.ingest.sentry.io/42 rejected the event',
  ],
  [
    'smtp://mailer:tr1ckyPass@smtp.example.com:587 refused the sender',
    'tr1ckyPass',
    'smtp://mailer:',
    '@smtp.example.com:587 refused the sender',
  ],
  // Authorization.
  [`401 for Authorization: Bearer ${jwt}`, jwt, '401 for Authorization: '],
  [
    'curl -H "Authorization: Bearer 9d2f8c1ab7e64f" failed with 22',
    '9d2f8c1ab7e64f',
    'curl -H "Authorization:',
    'failed with 22',
  ],
  ['Bearer mF_9.B5f-4.1JqM is expired', 'mF_9.B5f-4.1JqM', 'is expired'],
  ['Authorization: Basic YWRtaW46c2VjcmV0MTIz was not accepted', 'YWRtaW46c2VjcmV0MTIz', 'was not accepted'],
  ['{"headers":{"authorization":"Bearer tok_51Habcdefg"},"status":401}', 'tok_51Habcdefg', '"status":401'],
  ['Cookie: session=8f14e45fceea167a5a36dedd4bea2543; path=/', '8f14e45fceea167a5a36dedd4bea2543', 'Cookie:'],
  [
    'X-Api-Key: 7c4a8d09ca3762af61e5 is not allowed here',
    '7c4a8d09ca3762af61e5',
    'X-Api-Key:',
    'is not allowed here',
  ],
  // Keys of known forms.
  [
    `Incorrect API key provided: ${openai}. Find yours in the dashboard.`,
    openai,
    'Incorrect API key provided:',
    'Find yours in the dashboard.',
  ],
  [
    `remote: invalid credentials ${github} for acme/site`,
    github,
    'remote: invalid credentials',
    'for acme/site',
  ],
  [
    `InvalidAccessKeyId: ${aws} does not exist in our records`,
    aws,
    'InvalidAccessKeyId:',
    'does not exist in our records',
  ],
  [
    `API key not valid (${google}). Please pass a valid one.`,
    google,
    'API key not valid',
    'Please pass a valid one.',
  ],
  [`slack said invalid_auth to ${slack}`, slack, 'slack said invalid_auth to'],
  [`No such customer; you used ${stripe} in test mode`, stripe, 'No such customer; you used', 'in test mode'],
  [`gitlab: ${gitlab} lacks the scope read_api`, gitlab, 'gitlab:', 'lacks the scope read_api'],
  [`npm ERR! 403 ${npm} may not publish`, npm, 'npm ERR! 403', 'may not publish'],
  [`mail: key ${sendgrid} was revoked`, sendgrid, 'mail: key', 'was revoked'],
  [`hub: ${huggingface} cannot read the model`, huggingface, 'hub:', 'cannot read the model'],
  [`drive: ${googleToken} expired 3 minutes ago`, googleToken, 'drive:', 'expired 3 minutes ago'],
  [`droplets: ${digitalocean} is read only`, digitalocean, 'droplets:', 'is read only'],
  [`twine: ${pypi} is not allowed for project x`, pypi, 'twine:', 'is not allowed for project x'],
  [`jwt ${jwt} is malformed: signature`, jwt, 'is malformed: signature'],
  [
    `POST https://hooks.slack.com/services/T024BE7LD/B8Q9Z1X2Y/${'xY7aBc9dEf2GhIjKlMnOpQrS'} gave 404`,
    'xY7aBc9dEf2GhIjKlMnOpQrS',
    'POST https://hooks.slack.com/',
    'gave 404',
  ],
  // Private keys.
  [
    `Cannot parse -----BEGIN RSA PRIVATE KEY-----\n${pem}\n-----END RSA PRIVATE KEY----- at line 3`,
    pem,
    'Cannot parse',
    'at line 3',
  ],
  [`bad key "-----BEGIN PRIVATE KEY-----\\n${pem}\\n-----END PRIVATE KEY-----"`, pem, 'bad key'],
  [`ssh: -----BEGIN OPENSSH PRIVATE KEY-----\n${pem}`, pem, 'ssh:'],
  // Pairs.
  [
    'Could not connect: host=db user=app password=hunter2 dbname=shop',
    'hunter2',
    'Could not connect: host=db user=app',
    'dbname=shop',
  ],
  [
    'Server=tcp:sql,1433;User Id=sa;Password=Str0ng!Pass;Encrypt=true: login failed',
    'Str0ng!Pass',
    'Server=tcp:sql,1433;User Id=sa;',
    'Encrypt=true: login failed',
  ],
  [
    'Server=sql;Uid=sa;Pwd=Aut0matic;Database=x is unreachable',
    'Aut0matic',
    'Server=sql;Uid=sa;',
    'Database=x is unreachable',
  ],
  [
    'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==;EndpointSuffix=core.windows.net',
    'Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==',
    'AccountName=x;',
    'EndpointSuffix=core.windows.net',
  ],
  [
    'GET https://api.example.com/v1/items?page=2&api_key=0a1b2c3d4e5f&sort=asc 429',
    '0a1b2c3d4e5f',
    'GET https://api.example.com/v1/items?page=2',
    'sort=asc 429',
  ],
  [
    'GET https://maps.example.com/tile?token=pk9x8y7z6w&z=3 404 Not Found',
    'pk9x8y7z6w',
    'GET https://maps.example.com/tile?',
    '404 Not Found',
  ],
  [
    '{"error":"denied","client_secret":"GOCSPX-1a2B3c4D5e6F7g8H"}',
    'GOCSPX-1a2B3c4D5e6F7g8H',
    '"error":"denied"',
  ],
  [
    "config { user: 'ann', password: 'correct horse battery' } is invalid",
    'correct horse battery',
    "user: 'ann'",
    'is invalid',
  ],
  ['DB_PASSWORD=pl4tinum ./migrate exited with 1', 'pl4tinum', './migrate exited with 1'],
  [
    'Command failed: mysqldump --user=root --password=gr4vity shop',
    'gr4vity',
    'Command failed: mysqldump --user=root',
    'shop',
  ],
  [
    'Command failed: vault login --token s3cr3tT0ken9 -no-print',
    's3cr3tT0ken9',
    'Command failed: vault login',
    '-no-print',
  ],
  ['refresh_token: 1//0gLrT5zxcvbnmASDF expired', '1//0gLrT5zxcvbnmASDF', 'refresh_token:', 'expired'],
  ['access_token=EAACEdEose0cBA1234 is bad (#190)', 'EAACEdEose0cBA1234', 'is bad (#190)'],
  [`aws_secret_access_key = ${awsSecret}\nis no valid profile`, awsSecret, 'is no valid profile'],
  ['passphrase: "open sesame 42" does not unlock the key', 'open sesame 42', 'does not unlock the key'],
  [
    'jdbc:postgresql://h/db?user=u&password=j4vaBeans&ssl=true: no route',
    'j4vaBeans',
    'jdbc:postgresql://h/db?user=u',
    'ssl=true: no route',
  ],
  ['secret=abc123def456 did not match the webhook', 'abc123def456', 'did not match the webhook'],
  [
    'https://s3.amazonaws.com/b/k?X-Amz-Credential=x&X-Amz-Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe: 403',
    'fe5f80f77d5fa3beca038a248ff027d0445342fe',
    'https://s3.amazonaws.com/b/k?',
    '403',
  ],
  [
    'SharedAccessSignature sr=x&sig=9aZ%2Fk1Lm3Np5Qr7%3D&se=1 has expired',
    '9aZ%2Fk1Lm3Np5Qr7%3D',
    'se=1 has expired',
  ],
]

/** Messages without a credential: they stay as they are. */
export const plainMessages: readonly string[] = [
  'No order 4711 for customer c_9f8e7d6c5b4a.',
  'Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 is not in main.',
  'Run 550e8400-e29b-41d4-a716-446655440000 has ended.',
  "ENOENT: no such file or directory, open '/home/ann/projects/site/src/index.ts'",
  'C:\\Users\\ann\\AppData\\Local\\Temp\\build-42\\out.log is locked',
  'Artifact img_3tsxym65 is not an image/png of 512x512.',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 does not match',
  'Unexpected token } in JSON at position 42',
  'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON',
  'SyntaxError: Unexpected token: punc (()',
  'The token has expired. Sign in again.',
  'Your password must have 12 characters.',
  'Invalid password for user ann.',
  'connect ECONNREFUSED 127.0.0.1:5432',
  'GET https://api.example.com:8443/v1/users/42?page=3&limit=50 returned 404',
  'Send mail to ann@example.com at 10:30, not bob@example.com.',
  'see https://example.com:8080/a/b@2x.png',
  'Rate limit of 60 requests a minute reached; retry in 12 s.',
  'duplicate key value violates unique constraint "pk_user_accounts_email_tenant"',
  'relation "sk_orders_by_customer_and_day" does not exist',
  'max_tokens: 4096 is more than this model takes (2048)',
  'nextPageToken is missing',
  'Key "name" is required, "nmae" is not allowed.',
  'exit code 137: the container ran out of memory',
  'Version 2.13.4-rc.1+build.5 is older than 2.14.0',
  'lat=59.91 lon=10.75 lies in no zone',
  'The option --token is required.',
  'Module not found: @scope/some-package-name/dist/esm/index.js',
]
