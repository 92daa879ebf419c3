# The objects of the Host Networking Service as unchanged JSON, and whether the service answers.

function Get-HnsSection {
    param([Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind)
    $json = Invoke-HnsCall -Method GET -Path "/$Kind"
    if ($json -eq 'null') { $json = '[]' }
    New-RawJson -Text $json
}

function Get-HnsNetworkSection { Get-HnsSection -Kind networks }

function Get-HnsEndpointSection { Get-HnsSection -Kind endpoints }

function Get-HnsPolicyListSection { Get-HnsSection -Kind policylists }

function Get-HnsNamespaceSection {
    $json = Invoke-HnsCall -Method GET -Path '/namespaces'
    if ($json -eq 'null') { $json = '[]' }
    New-RawJson -Text $json
}

# If the service hangs, the section times out.
function Get-HnsServiceSection {
    $service = Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $_.Name -eq 'hns' }
    if ($null -eq $service) {
        throw (New-HelperError -Kind NotInstalled -Message 'Service hns does not exist: the Containers feature is not installed')
    }
    $process = Get-CimInstance -ClassName Win32_Process | Where-Object -FilterScript { $_.ProcessId -eq $service.ProcessId }
    $watch = [System.Diagnostics.Stopwatch]::StartNew()
    [void]@(Get-HnsObject -Kind endpoints)
    [pscustomobject]@{
        ProcessId   = [int]$service.ProcessId
        StartedAt   = Format-Time -Time (Get-Field -InputObject $process -Name CreationDate)
        ThreadCount = Get-Field -InputObject $process -Name ThreadCount
        RespondedMs = $watch.ElapsedMilliseconds
    }
}
