#!/bin/sh
# Allows the operations of each service: kafka-acls.sh BOOTSTRAP_SERVERS ADMIN_PROPERTIES
set -eu
servers=$1
admin=$2
acl() {
  kafka-acls.sh --bootstrap-server "$servers" --command-config "$admin" --add "$@"
}

acl --allow-principal User:fresnel-migrate --operation Create --operation Describe --operation DescribeConfigs --operation AlterConfigs --topic slot-events
acl --allow-principal User:fresnel-migrate --operation Create --operation Describe --operation DescribeConfigs --operation AlterConfigs --topic tree-updates

# Ingest also reads what it has published, to resume after it, and how far the consumers are.
acl --allow-principal User:fresnel-ingest --operation Write --operation Read --operation Describe --topic slot-events
acl --allow-principal User:fresnel-ingest --operation Write --operation Read --operation Describe --topic tree-updates
acl --allow-principal User:fresnel-ingest --operation Read --operation Delete --operation Describe --group fresnel-read-last- --resource-pattern-type prefixed
acl --allow-principal User:fresnel-ingest --operation Describe --group projector
acl --allow-principal User:fresnel-ingest --operation Describe --group prover

acl --allow-principal User:fresnel-projector --operation Read --operation Describe --topic slot-events
acl --allow-principal User:fresnel-projector --operation Read --operation Describe --group projector

acl --allow-principal User:fresnel-prover --operation Read --operation Describe --topic tree-updates
acl --allow-principal User:fresnel-prover --operation Read --operation Describe --group prover
