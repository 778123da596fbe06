import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';

/**
 * Creates a role that can read everything and write nothing, or gives the existing role a new password.
 *
 * @param url connection of a role that can create roles
 * @returns the connection URL of the new role
 */
export async function createReadRole(url: string, role: string): Promise<string> {
  const password = randomBytes(18).toString('base64url');
  const client = new Client({ connectionString: url, application_name: 'fresnel-read-role' });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
    const verb = rowCount === 0 ? 'CREATE' : 'ALTER';
    await client.query(`${verb} ROLE ${escapeIdentifier(role)} LOGIN PASSWORD ${escapeLiteral(password)}`);
    await client.query(`GRANT pg_read_all_data TO ${escapeIdentifier(role)}`);
  } finally {
    await client.end();
  }
  const reading = new URL(url);
  reading.username = encodeURIComponent(role);
  reading.password = encodeURIComponent(password);
  return reading.href;
}
