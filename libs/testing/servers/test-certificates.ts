import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate and its key, as files in PEM. */
export interface TestCertificate {
  certFile: string;
  keyFile: string;
  cert: string;
  key: string;
}

/** Elliptic curves: an RSA key takes longer to make than the rest of a test. */
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A certificate authority in a folder of its own. Call `drop` when the suite ends. */
export class TestAuthority {
  private readonly folder = mkdtempSync(join(tmpdir(), 'fresnel-certificates-'));
  readonly caFile = join(this.folder, 'ca.pem');
  private readonly caKeyFile = join(this.folder, 'ca.key');
  readonly ca: string;

  constructor() {
    const subject = ['-subj', '/CN=authority of a test', '-days', '2'];
    this.openssl('req', '-x509', ...NEW_KEY, ...subject, '-keyout', this.caKeyFile, '-out', this.caFile);
    this.ca = readFileSync(this.caFile, 'utf8');
  }

  /** Issues a certificate for a name, valid for clients, and for servers with these names: by default those on loopback. */
  issue(name: string, serverNames = 'DNS:localhost,IP:127.0.0.1'): TestCertificate {
    const file = (kind: string) => join(this.folder, `${name}.${kind}`);
    const [keyFile, certFile] = [file('key'), file('pem')];
    writeFileSync(file('extensions'), `subjectAltName=${serverNames}\n`);
    this.openssl('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', file('request'));
    const authority = ['-CA', this.caFile, '-CAkey', this.caKeyFile, '-CAcreateserial', '-days', '2'];
    this.openssl(
      'x509',
      '-req',
      ...authority,
      '-extfile',
      file('extensions'),
      '-in',
      file('request'),
      '-out',
      certFile,
    );
    return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  }

  drop(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private openssl(...args: string[]): void {
    execFileSync('openssl', args, { stdio: 'pipe' });
  }
}
