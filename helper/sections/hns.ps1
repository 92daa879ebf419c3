# What the Host Networking Service holds, whole and as HNS wrote it.

function Get-HnsSection {
    param([Parameter(Mandatory = $true)][ValidateSet('networks', 'endpoints', 'policylists')][string]$Kind)
    if ($null -ne (Get-Command -Name Get-HnsNetwork -ErrorAction Ignore)) { return Get-HnsObject -Kind $Kind }
    $json = Invoke-HnsCall -Method GET -Path "/$Kind"
    if ($json -eq 'null') { $json = '[]' }
    New-RawJson -Text $json
}

function Get-HnsNetworkSection { Get-HnsSection -Kind networks }

function Get-HnsEndpointSection { Get-HnsSection -Kind endpoints }

function Get-HnsPolicyListSection { Get-HnsSection -Kind policylists }
