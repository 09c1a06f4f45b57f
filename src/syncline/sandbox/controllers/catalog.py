"""Lists the controllers of a sandbox."""

from __future__ import annotations

from syncline.sandbox.backend import Backend
from syncline.sandbox.behaviours.controller import Behaviours
from syncline.sandbox.controllers.accounts import AccountTokens
from syncline.sandbox.controllers.apiservices import ApiServices
from syncline.sandbox.controllers.definitions import DefinitionController
from syncline.sandbox.controllers.endpoints import Endpoints
from syncline.sandbox.controllers.garbage import Garbage
from syncline.sandbox.controllers.ingresses import Ingresses
from syncline.sandbox.controllers.kubelet.kubelet import Kubelet
from syncline.sandbox.controllers.namespaces import Namespaces
from syncline.sandbox.controllers.quotas import Quotas
from syncline.sandbox.controllers.runtime import SimulatedController
from syncline.sandbox.controllers.scheduling.autoscaler import Autoscaler
from syncline.sandbox.controllers.scheduling.nodes import Nodes
from syncline.sandbox.controllers.scheduling.scheduler import Scheduler
from syncline.sandbox.controllers.storage.volumes import Volumes
from syncline.sandbox.controllers.workloads.budgets import Budgets
from syncline.sandbox.controllers.workloads.cronjobs import CronJobs
from syncline.sandbox.controllers.workloads.daemonsets import DaemonSets
from syncline.sandbox.controllers.workloads.deployments import Deployments
from syncline.sandbox.controllers.workloads.horizontal import HorizontalScalers
from syncline.sandbox.controllers.workloads.jobs import Jobs
from syncline.sandbox.controllers.workloads.replicasets import ReplicaSets
from syncline.sandbox.controllers.workloads.statefulsets import StatefulSets


def controllers(backend: Backend) -> list[SimulatedController]:
    """Return one of each; a sandbox that simulates nothing only serves custom kinds."""
    if not backend.settings.simulate:
        return [DefinitionController(backend), ApiServices(backend)]
    return [
        DefinitionController(backend),
        ApiServices(backend),
        Namespaces(backend),
        AccountTokens(backend),
        Garbage(backend),
        Deployments(backend),
        ReplicaSets(backend),
        StatefulSets(backend),
        DaemonSets(backend),
        Jobs(backend),
        CronJobs(backend),
        Endpoints(backend),
        Ingresses(backend),
        Volumes(backend),
        Nodes(backend),
        Scheduler(backend),
        Autoscaler(backend),
        Kubelet(backend),
        HorizontalScalers(backend),
        Budgets(backend),
        Quotas(backend),
        Behaviours(backend),
    ]
