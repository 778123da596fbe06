-- The roles of the services. Run this once in the empty database, as a role that may create roles:
--   psql "$ADMIN_URL" -v migrate_password=... -v write_password=... -v read_password=... -f postgres-roles.sql
CREATE ROLE fresnel_migrate LOGIN PASSWORD :'migrate_password';
CREATE ROLE fresnel_write LOGIN PASSWORD :'write_password';
CREATE ROLE fresnel_read LOGIN PASSWORD :'read_password';

-- migrate owns all tables.
GRANT USAGE, CREATE ON SCHEMA public TO fresnel_migrate;

-- The others get rights on the tables that migrate creates, now and with later versions.
GRANT USAGE ON SCHEMA public TO fresnel_write, fresnel_read;
ALTER DEFAULT PRIVILEGES FOR ROLE fresnel_migrate IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO fresnel_write;
ALTER DEFAULT PRIVILEGES FOR ROLE fresnel_migrate IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO fresnel_write;
ALTER DEFAULT PRIVILEGES FOR ROLE fresnel_migrate IN SCHEMA public GRANT SELECT ON TABLES TO fresnel_read;
